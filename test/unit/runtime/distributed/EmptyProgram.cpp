// A shared object that is no program. With WHOLE, one that brings a runtime.
#include "weir-c/session.h"

#ifdef WHOLE
extern "C" {
WeirProgram weir_program;
WeirSession *weir_session_create(const WeirProgram *, WeirStatus *) {
  return nullptr;
}
}
#else
extern "C" int weir_nothing = 0;
#endif
