#include "libtwice.h"

#include <stdio.h>

int main(void) {
  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *session = weir_session_create(&twice_program, &status);
  float x = 21;
  WeirView feeds[TWICE_DOUBLE_FEED_COUNT] = {{&x, 0, 0, WEIR_F32}};
  WeirTensor *fetches[TWICE_DOUBLE_FETCH_COUNT];
  if (!session ||
      weir_session_run(session, TWICE_DOUBLE, feeds, fetches, &status)) {
    fprintf(stderr, "%s\n", status.message);
    weir_status_clear(&status);
    return 1;
  }
  WeirView y = weir_tensor_view(fetches[TWICE_DOUBLE_FETCH_Y]);
  printf("y = %g\n", *(const float *)y.data);
  weir_tensor_release(fetches[TWICE_DOUBLE_FETCH_Y]);
  weir_session_destroy(session);
  return 0;
}
