# The project's own build rules: one function for each kind of target.

find_program(WEIR_CCACHE ccache)
if(WEIR_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${WEIR_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${WEIR_CCACHE})
endif()

set(WEIR_SANITIZER "" CACHE STRING "Sanitizers to build with, as -fsanitize takes them")


set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# What every target gets, whatever it is.
add_library(weir_flags INTERFACE)
target_compile_options(weir_flags INTERFACE
  -fPIC -Wall -Wextra -Wno-unused-parameter -fvisibility-inlines-hidden
  -ffunction-sections -fdata-sections)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # The precompiled header is only valid for ccache with these.
  target_compile_options(weir_flags INTERFACE -fpch-instantiate-templates -Xclang -fno-pch-timestamp)
endif()
target_include_directories(weir_flags INTERFACE ${PROJECT_SOURCE_DIR}/include)
if(WEIR_SANITIZER)
  target_compile_options(weir_flags INTERFACE -fsanitize=${WEIR_SANITIZER} -fno-omit-frame-pointer -g1)
  target_link_options(weir_flags INTERFACE -fsanitize=${WEIR_SANITIZER})
  if(WEIR_SANITIZER MATCHES "undefined")
    target_compile_options(weir_flags INTERFACE -fno-sanitize-recover=undefined -fno-sanitize=vptr,function)
  endif()
endif()

# A library of the runtime: C++17, no MLIR or LLVM in sight.
function(weir_runtime_library name)
  cmake_parse_arguments(ARG "" "" "SRCS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SRCS} ${ARG_UNPARSED_ARGUMENTS})
  target_compile_features(${name} PUBLIC cxx_std_17)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE weir_flags PUBLIC ${ARG_LINK})
endfunction()

# Links all of the runtime's `libraries` into an executable that loads programs:
# they find its C functions there.
function(weir_whole_runtime name)
  foreach(library ${ARGN})
    target_link_libraries(${name} PRIVATE -Wl,--whole-archive $<TARGET_FILE:${library}> -Wl,--no-whole-archive)
    add_dependencies(${name} ${library})
    target_link_libraries(${name} PRIVATE ${library})
  endforeach()
  target_link_options(${name} PRIVATE -Wl,--dynamic-list=${PROJECT_SOURCE_DIR}/cmake/runtime_symbols.txt)
endfunction()

# Headers that almost every file of the compiler includes, built once.
function(weir_precompiled_headers)
  add_library(weir_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/Pch.cpp)
  weir_mlir_settings(weir_pch)
  target_precompile_headers(weir_pch PRIVATE
    <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h> <mlir/IR/Builders.h> <mlir/IR/PatternMatch.h>
    <mlir/IR/OpImplementation.h> <mlir/Interfaces/FunctionInterfaces.h> <mlir/Interfaces/InferTypeOpInterface.h>
    <mlir/Interfaces/SideEffectInterfaces.h> <mlir/Pass/Pass.h> <mlir/Pass/PassManager.h>
    <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Dialect/Linalg/IR/Linalg.h>
    <mlir/Dialect/LLVMIR/LLVMDialect.h> <mlir/Dialect/MemRef/IR/MemRef.h> <mlir/Dialect/SCF/IR/SCF.h>
    <mlir/Dialect/Tensor/IR/Tensor.h> <mlir/Dialect/Vector/IR/VectorOps.h> <mlir/Transforms/GreedyPatternRewriteDriver.h>)
endfunction()

function(weir_mlir_settings name)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(${name} PRIVATE NDEBUG)
  target_link_libraries(${name} PRIVATE weir_flags)
endfunction()

# A library of the compiler: C++20 on the shared MLIR.
function(weir_mlir_library name)
  cmake_parse_arguments(ARG "" "" "SRCS;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SRCS} ${ARG_UNPARSED_ARGUMENTS})
  weir_mlir_settings(${name})
  target_precompile_headers(${name} REUSE_FROM weir_pch)
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  # Every generated header of every dialect exists before any library is compiled.
  add_dependencies(${name} weir_tablegen ${ARG_DEPENDS})
endfunction()

# An executable in bin/ on the shared MLIR.
function(weir_tool name)
  cmake_parse_arguments(ARG "" "" "SRCS;LINK" ${ARGN})
  add_executable(${name} ${ARG_SRCS} ${ARG_UNPARSED_ARGUMENTS})
  weir_mlir_settings(${name})
  target_precompile_headers(${name} REUSE_FROM weir_pch)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin ENABLE_EXPORTS ON)
  add_dependencies(${name} weir_tablegen)
endfunction()

# A GoogleTest executable in test/, run by ctest. RUNTIME: without MLIR.
function(weir_gtest name)
  cmake_parse_arguments(ARG "RUNTIME" "" "SRCS;LINK" ${ARGN})
  add_executable(${name} ${ARG_SRCS} ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_RUNTIME)
    target_compile_features(${name} PRIVATE cxx_std_17)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE weir_flags)
  else()
    weir_mlir_settings(${name})
    target_precompile_headers(${name} REUSE_FROM weir_pch)
    target_link_libraries(${name} PRIVATE MLIR LLVM)
    add_dependencies(${name} weir_tablegen)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/unit)
  add_test(NAME ${name} COMMAND ${name})
  set_property(GLOBAL APPEND PROPERTY WEIR_UNIT_TESTS ${name})
endfunction()

# Runs mlir-tblgen on one .td: weir_tablegen_file(Weir.td "-gen-op-decls" WeirOps.h.inc [args])
# The outputs land beside the build folder of the caller.
function(weir_tablegen_file td)
  set(outputs)
  list(LENGTH ARGN count)
  math(EXPR last "${count} - 1")
  foreach(i RANGE 0 ${last} 2)
    math(EXPR j "${i} + 1")
    list(GET ARGN ${i} generator)
    list(GET ARGN ${j} out)
    separate_arguments(flags UNIX_COMMAND "${generator}")
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${out})
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${MLIR_TABLEGEN_EXE} ${flags} -I ${PROJECT_SOURCE_DIR} -I ${MLIR_INCLUDE_DIRS} -I ${LLVM_INCLUDE_DIRS}
              ${CMAKE_CURRENT_SOURCE_DIR}/${td} -o ${output} -d ${output}.d --write-if-changed
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${td}
      DEPFILE ${output}.d
      COMMENT "Generating ${out}")
    list(APPEND outputs ${output})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY WEIR_GENERATED ${outputs})
  string(MAKE_C_IDENTIFIER "tblgen_${CMAKE_CURRENT_SOURCE_DIR}_${td}" target)
  string(SUBSTRING ${target} 0 200 target)
  add_custom_target(${target} DEPENDS ${outputs})
  add_dependencies(weir_tablegen ${target})
endfunction()
