// Round trip: every op of the dialect prints what it parses, in its own text
// form and in the generic one.
//
// RUN: weir-opt %s | weir-opt | FileCheck %s
// RUN: weir-opt %s --mlir-print-op-generic | weir-opt | FileCheck %s
// RUN: weir-opt %s --emit-bytecode | weir-opt | FileCheck %s

// What is around the instructions.
// CHECK-LABEL: mxu.program @around array 32 scratch 4096 {
// CHECK-NEXT:    mxu.input elements 1 row 784 rows -1
// CHECK-NEXT:    mxu.input elements 4 row 40
// CHECK-NEXT:    mxu.output elements 1 row 10 rows 8
// CHECK-NEXT:    mxu.window images=1 height=8 width=8 channels=1 out_height=8 out_width=8 kernel_height=3 kernel_width=3 stride_height=1 stride_width=1 dilation_height=1 dilation_width=1 pad_top=1 pad_left=1
// CHECK-NEXT:    mxu.weights dense<[1, -1]> : tensor<2xi8>
// CHECK-NEXT:    mxu.halt
mxu.program @around array 32 scratch 4096 {
  mxu.input elements 1 row 784 rows -1
  mxu.input elements 4 row 40
  mxu.output elements 1 row 10 rows 8
  mxu.window images=1 height=8 width=8 channels=1 out_height=8 out_width=8 kernel_height=3 kernel_width=3
    stride_height=1 stride_width=1 dilation_height=1 dilation_width=1 pad_top=1 pad_left=1
  mxu.weights dense<[1, -1]> : tensor<2xi8>
  mxu.halt
}

// Every instruction, with the largest and smallest numbers that fit.
// CHECK-LABEL: mxu.program @instructions array 256 scratch 0 {
// CHECK-NEXT:    mxu.loop images=4294967295 length=13
// CHECK-NEXT:    mxu.nop queue=3 wait(ld mx vx st) signal(ld mx vx st)
// CHECK-NEXT:    mxu.lda space=255 offset=4294967295 stride=16777215 lanes=256 rows=65535 ub=32769 signal(mx)
// CHECK-NEXT:    mxu.ldw space=0 offset=0 stride=0 lanes=1 rows=1{{$}}
// CHECK-NEXT:    mxu.ldp space=0 offset=64 lanes=10 param=4095 signal(vx)
// CHECK-NEXT:    mxu.mxw
// CHECK-NEXT:    mxu.mm ub=0 acc=4095 rows=1 zero=-128 swap=1 accumulate=0 wait(ld) signal(vx)
// CHECK-NEXT:    mxu.mmc ub=98303 acc=0 rows=4096 zero=127 swap=0 accumulate=1 window=255 first=16777215 tile=65535
// CHECK-NEXT:    mxu.act acc=0 ub=64 rows=16 param=4093 zero=-128 min=-128 max=127 wait(mx) signal(st)
// CHECK-NEXT:    mxu.pool source=98303 ub=64 rows=16 window=1 first=0
// CHECK-NEXT:    mxu.actp acc=4095 ub=64 rows=65535 param=4093 zero=-128 min=-128 max=127 window=255 wait(mx) signal(st)
// CHECK-NEXT:    mxu.sta space=3 offset=0 stride=10 lanes=10 rows=16 ub=64 wait(vx)
// CHECK-NEXT:    mxu.halt
mxu.program @instructions array 256 scratch 0 {
  mxu.loop images=4294967295 length=13
  mxu.nop queue=3 wait(ld mx vx st) signal(ld mx vx st)
  mxu.lda space=255 offset=4294967295 stride=16777215 lanes=256 rows=65535 ub=32769 signal(mx)
  mxu.ldw space=0 offset=0 stride=0 lanes=1 rows=1
  mxu.ldp space=0 offset=64 lanes=10 param=4095 signal(vx)
  mxu.mxw
  mxu.mm ub=0 acc=4095 rows=1 zero=-128 swap=1 accumulate=0 wait(ld) signal(vx)
  mxu.mmc ub=98303 acc=0 rows=4096 zero=127 swap=0 accumulate=1 window=255 first=16777215 tile=65535
  mxu.act acc=0 ub=64 rows=16 param=4093 zero=-128 min=-128 max=127 wait(mx) signal(st)
  mxu.pool source=98303 ub=64 rows=16 window=1 first=0
  mxu.actp acc=4095 ub=64 rows=65535 param=4093 zero=-128 min=-128 max=127 window=255 wait(mx) signal(st)
  mxu.sta space=3 offset=0 stride=10 lanes=10 rows=16 ub=64 wait(vx)
  mxu.halt
}

// The host's side.
// CHECK-LABEL: func.func @host
// CHECK:         mxu.run @around "around at net.mlir:3"(%{{.+}} : memref<?x32xi8>) outs(%{{.+}} : memref<?x32xi8>)
// CHECK:         mxu.run @instructions "alone"() outs()
func.func @host(%x: memref<?x32xi8>, %y: memref<?x32xi8>) {
  mxu.run @around "around at net.mlir:3" (%x : memref<?x32xi8>) outs (%y : memref<?x32xi8>)
  mxu.run @instructions "alone" () outs ()
  return
}
