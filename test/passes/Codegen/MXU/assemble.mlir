// Programs become images, and what runs them gets the image.
//
// RUN: weir-opt %s --weir-mxu-assemble -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-NOT:   mxu.program
// CHECK-LABEL: func.func @host
// CHECK-SAME:    %[[X:.+]]: memref<?x32xi8>, %[[Y:.+]]: memref<?x32xi8>
// CHECK-NEXT:    rt.mxu_run "copy at net.mlir:3", dense<"0x574549524D585500{{[0-9A-F]+}}"> : tensor<256xi8>(%[[X]] : memref<?x32xi8>) outs(%[[Y]] : memref<?x32xi8>)
// CHECK-NEXT:    rt.mxu_run "once more", dense<"0x574549524D585500{{[0-9A-F]+}}"> : tensor<256xi8>(%[[Y]] : memref<?x32xi8>) outs(%[[X]] : memref<?x32xi8>)
mxu.program @copy array 32 scratch 0 {
  mxu.input elements 1 row 32 rows -1
  mxu.output elements 1 row 32 rows -1
  mxu.nop queue=3 signal(ld)
  mxu.loop images=1 length=2
  mxu.lda space=2 offset=0 stride=32 lanes=32 rows=1 ub=0 wait(st) signal(st)
  mxu.sta space=3 offset=0 stride=32 lanes=32 rows=1 ub=0 wait(ld) signal(ld)
  mxu.nop queue=0 wait(st)
  mxu.nop queue=0
  mxu.halt
}
func.func @host(%x: memref<?x32xi8>, %y: memref<?x32xi8>) {
  mxu.run @copy "copy at net.mlir:3" (%x : memref<?x32xi8>) outs (%y : memref<?x32xi8>)
  mxu.run @copy "once more" (%y : memref<?x32xi8>) outs (%x : memref<?x32xi8>)
  return
}

// -----

// A program has to pass the check that a run makes.
mxu.program @waits array 32 scratch 0 {
  // expected-error@below {{[WEIR0443] instruction 0 (nop) waits for a token from mx that no instruction before it gives}}
  mxu.nop queue=0 wait(mx)
  mxu.halt
}

// -----

func.func @host() {
  // expected-error@below {{[WEIR0240] there is no mxu.program @missing}}
  mxu.run @missing "x" () outs ()
  return
}
