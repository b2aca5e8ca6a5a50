// Kernels on int8 become programs of the accelerator and host code that runs
// them. What they compute is for test/unit/passes/MxuLoweringTest.cpp.
//
// RUN: weir-opt %s --weir-mxu-lower-kernels -split-input-file | FileCheck %s

// A product of several tiles: rows are loaded right before they are used, the
// sums of two columns of tiles are made of each, and the vector unit reads one
// half of the accumulators while the other is filled.
// CHECK-LABEL: module attributes {rt.mxu = "32x32"}
// CHECK:       mxu.program @matmul.mxu array 32 scratch 0 {
// CHECK-NEXT:    mxu.input elements 1 row 64 rows 1000
// CHECK-NEXT:    mxu.output elements 1 row 96 rows 1000
// CHECK-NEXT:    mxu.weights
// CHECK-NEXT:    mxu.loop images=1000
// CHECK-NEXT:    mxu.ldw space=0 offset=0 stride=96 lanes=32 rows=32
// CHECK-NEXT:    mxu.mxw
// CHECK-NEXT:    mxu.lda space=2 offset=0 stride=64 lanes=32 rows=512 ub=0
// CHECK-NEXT:    mxu.lda space=2 offset=32768 stride=64 lanes=32 rows=488 ub=512 signal(mx)
// CHECK-NEXT:    mxu.mm ub=0 acc=0 rows=1000 zero=3 swap=1 accumulate=0 wait(ld)
// CHECK-NEXT:    mxu.ldw space=0 offset=32 stride=96 lanes=32 rows=32
// CHECK-NEXT:    mxu.mxw
// CHECK-NEXT:    mxu.mm ub=0 acc=1000 rows=1000 zero=3 swap=1 accumulate=0
// CHECK-NEXT:    mxu.ldw space=0 offset=3072 stride=96 lanes=32 rows=32
// CHECK-NEXT:    mxu.mxw
// CHECK-NEXT:    mxu.lda space=2 offset=32 stride=64 lanes=32 rows=512 ub=1000
// CHECK-NEXT:    mxu.lda space=2 offset=32800 stride=64 lanes=32 rows=488 ub=1512 signal(mx)
// CHECK-NEXT:    mxu.mm ub=1000 acc=0 rows=1000 zero=3 swap=1 accumulate=1 wait(ld) signal(vx)
// CHECK:         mxu.mm ub=1000 acc=1000 rows=1000 zero=3 swap=1 accumulate=1 signal(vx)
// CHECK-NEXT:    mxu.ldp space=0 offset=6144 lanes=32 param=0
// CHECK-NEXT:    mxu.ldp space=0 offset=6528 lanes=32 param=1
// CHECK-NEXT:    mxu.ldp space=0 offset=6912 lanes=32 param=2 signal(vx)
// CHECK-NEXT:    mxu.act acc=0 ub=2000 rows=1000 param=0 zero=-128 min=-128 max=127 wait(ld mx) signal(st)
// CHECK:         mxu.mm ub=0 acc=2048 rows=1000 zero=3 swap=1 accumulate=0
// CHECK:         mxu.sta space=3 offset=0 stride=96 lanes=32 rows=512 ub=2000 wait(vx)
// CHECK:         mxu.halt
// CHECK-LABEL: func.func @matmul
// CHECK-NEXT:    %[[OK:.+]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[X:.+]] = rt.feed_buffer 0 : memref<1000x64xi8>
// CHECK-NEXT:    %[[Y:.+]] = rt.output_buffer 0() : memref<1000x96xi8>
// CHECK-NEXT:    mxu.run @matmul.mxu "'matmul' at {{.*}}lower-kernels.mlir:{{[0-9]+}}"(%[[X]] : memref<1000x64xi8>) outs(%[[Y]] : memref<1000x96xi8>)
// CHECK-NEXT:    return %[[OK]]
module attributes {rt.mxu = "32x32"} {
  func.func @matmul(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:MXU:0"} {
    %ok = arith.constant 0 : i32
    %x = rt.feed 0 : tensor<1000x64xi8>
    %g = weir.group "matmul" -> tensor<1000x96xi8> {
      %w = weir.constant dense<2> : tensor<64x96xi8>
      %b = weir.constant dense<5> : tensor<96xi32>
      %y = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 1518500250>, shifts = array<i32: 38>,
        output_zero = -128 : i32, min = -128 : i32} : (tensor<1000x64xi8>, tensor<64x96xi8>, tensor<96xi32>) -> tensor<1000x96xi8>
      weir.yield %y : tensor<1000x96xi8>
    }
    rt.fetch 0, %g : tensor<1000x96xi8>
    return %ok : i32
  }
}

// -----

// A batch that only the run knows: loops of fewer and fewer images, down to one.
// Convolution and the product behind a reshape read windows; nothing is copied
// for either. Pooling is part of the convolution: pieces of its sums are images.
// CHECK-LABEL: module {
// CHECK:       mxu.program @network.mxu array 128 scratch 0 {
// CHECK-NEXT:    mxu.input elements 1 row 64 rows -1
// CHECK-NEXT:    mxu.output elements 1 row 10 rows -1
// CHECK-NEXT:    mxu.window images=[[B:[0-9]+]] height=8 width=8 channels=1 out_height=8 out_width=8 kernel_height=3 kernel_width=3 stride_height=1 stride_width=1 dilation_height=1 dilation_width=1 pad_top=1 pad_left=1
// CHECK-NEXT:    mxu.window images=16 height=8 width=8 channels=16 out_height=4 out_width=4 kernel_height=2 kernel_width=2
// CHECK-NEXT:    mxu.window images=[[B]] height=1 width=16 channels=16 out_height=1 out_width=1 kernel_height=1 kernel_width=16
// CHECK:         mxu.loop images=[[B]]
// CHECK-NOT:     mxu.{{act|pool}}{{ }}
// CHECK:         mxu.mmc ub=0 acc=0 rows=1024 zero=-128 swap=1 accumulate=0 window=0 first=0 tile=0
// CHECK:         mxu.mmc {{.*}} swap=0 accumulate=0 window=0 first=1024 tile=0
// CHECK:         mxu.actp acc=2048 ub={{[0-9]+}} rows=256 param=3 zero=-128 min=-100 max=100 window=1
// CHECK:         mxu.mmc {{.*}} rows=[[B]] zero=0 swap=1 accumulate=0 window=2 first=0 tile=0
// CHECK:         mxu.mmc {{.*}} rows=[[B]] zero=0 swap=1 accumulate=1 window=2 first=0 tile=1
// CHECK:         mxu.sta space=3 offset=0 stride=10 lanes=10
// CHECK:         mxu.loop images=1 length
// CHECK:         mxu.halt
// CHECK-LABEL: func.func @network
// CHECK:         %[[X:.+]] = rt.feed_buffer 0 : memref<?x8x8x1xi8>
// CHECK:         %[[N:.+]] = memref.dim %[[X]], %{{.+}} : memref<?x8x8x1xi8>
// CHECK:         rt.output_buffer 0(%[[N]]) : memref<?x10xi8>
module {
  func.func @network(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:MXU:0"} {
    %ok = arith.constant 0 : i32
    %x = rt.feed 0 : tensor<?x8x8x1xi8>
    %g = weir.group "network" -> tensor<?x10xi8> {
      %k = weir.constant dense<3> : tensor<3x3x1x16xi8>
      %b = weir.constant dense<5> : tensor<16xi32>
      %1 = weir.quantized_conv2d %x, %k, %b {input_zero = -128 : i32, multipliers = array<i32: 1518500250>, shifts = array<i32: 38>,
        output_zero = -128 : i32, min = -100 : i32, max = 100 : i32, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>}
        : (tensor<?x8x8x1xi8>, tensor<3x3x1x16xi8>, tensor<16xi32>) -> tensor<?x8x8x16xi8>
      %2 = weir.quantized_max_pool %1 {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
        : (tensor<?x8x8x16xi8>) -> tensor<?x4x4x16xi8>
      %3 = weir.reshape %2 {shape = array<i64: -1, 256>} : (tensor<?x4x4x16xi8>) -> tensor<?x256xi8>
      %w = weir.constant dense<3> : tensor<256x10xi8>
      %c = weir.constant dense<5> : tensor<10xi32>
      %y = weir.quantized_matmul %3, %w, %c {input_zero = 0 : i32, multipliers = array<i32: 1518500250>, shifts = array<i32: 38>,
        output_zero = 0 : i32} : (tensor<?x256xi8>, tensor<256x10xi8>, tensor<10xi32>) -> tensor<?x10xi8>
      weir.yield %y : tensor<?x10xi8>
    }
    rt.fetch 0, %g : tensor<?x10xi8>
    return %ok : i32
  }
}

// -----

// A pooling by itself: what it pools is wanted, too.
// CHECK-LABEL: module
// CHECK:       mxu.program @both.mxu array 128 scratch 0 {
// CHECK:         mxu.act acc=0 ub=256 rows=256
// CHECK:         mxu.pool source=256 ub=512 rows=64 window=1 first=0
// CHECK:         mxu.halt
module {
  func.func @both(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:MXU:0"} {
    %ok = arith.constant 0 : i32
    %x = rt.feed 0 : tensor<4x8x8x1xi8>
    %g:2 = weir.group "both" -> tensor<4x8x8x2xi8>, tensor<4x4x4x2xi8> {
      %k = weir.constant dense<3> : tensor<3x3x1x2xi8>
      %b = weir.constant dense<5> : tensor<2xi32>
      %1 = weir.quantized_conv2d %x, %k, %b {input_zero = 0 : i32, multipliers = array<i32: 1518500250>, shifts = array<i32: 38>,
        output_zero = 0 : i32, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>}
        : (tensor<4x8x8x1xi8>, tensor<3x3x1x2xi8>, tensor<2xi32>) -> tensor<4x8x8x2xi8>
      %2 = weir.quantized_max_pool %1 {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
        : (tensor<4x8x8x2xi8>) -> tensor<4x4x4x2xi8>
      weir.yield %1, %2 : tensor<4x8x8x2xi8>, tensor<4x4x4x2xi8>
    }
    rt.fetch 0, %g#0 : tensor<4x8x8x2xi8>
    rt.fetch 1, %g#1 : tensor<4x4x4x2xi8>
    return %ok : i32
  }
}

// -----

// Images that are too large for the accumulators: lines of them, if no line is
// wanted twice.
// CHECK-LABEL: module
// CHECK:       mxu.program @wide.mxu array 128
// CHECK:         mxu.window images=1 height=64 width=64 channels=1 out_height=64 out_width=64 kernel_height=3
// CHECK-NEXT:    mxu.window images=1 height=16 width=64 channels=2 out_height=8 out_width=32 kernel_height=2
// CHECK:         mxu.mmc {{.*}} rows=1024 {{.*}} window=0 first=1024 tile=0
// CHECK:         mxu.actp acc=2048 ub=4352 rows=256 {{.*}} window=1
// CHECK:         mxu.halt
module {
  func.func @wide(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:MXU:0"} {
    %ok = arith.constant 0 : i32
    %x = rt.feed 0 : tensor<1x64x64x1xi8>
    %g = weir.group "wide" -> tensor<1x32x32x2xi8> {
      %k = weir.constant dense<3> : tensor<3x3x1x2xi8>
      %b = weir.constant dense<5> : tensor<2xi32>
      %1 = weir.quantized_conv2d %x, %k, %b {input_zero = 0 : i32, multipliers = array<i32: 1518500250>, shifts = array<i32: 38>,
        output_zero = 0 : i32, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>}
        : (tensor<1x64x64x1xi8>, tensor<3x3x1x2xi8>, tensor<2xi32>) -> tensor<1x64x64x2xi8>
      %2 = weir.quantized_max_pool %1 {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
        : (tensor<1x64x64x2xi8>) -> tensor<1x32x32x2xi8>
      weir.yield %2 : tensor<1x32x32x2xi8>
    }
    rt.fetch 0, %g : tensor<1x32x32x2xi8>
    return %ok : i32
  }
}

// -----

// CHECK-LABEL: module
// CHECK:       mxu.program @overlapping.mxu array 128
// CHECK:         mxu.act acc=0 {{.*}} rows=1024
// CHECK:         mxu.pool
// CHECK:         mxu.halt
module {
  func.func @overlapping(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:MXU:0"} {
    %ok = arith.constant 0 : i32
    %x = rt.feed 0 : tensor<1x64x64x1xi8>
    %g = weir.group "overlapping" -> tensor<1x31x31x2xi8> {
      %k = weir.constant dense<3> : tensor<3x3x1x2xi8>
      %b = weir.constant dense<5> : tensor<2xi32>
      %1 = weir.quantized_conv2d %x, %k, %b {input_zero = 0 : i32, multipliers = array<i32: 1518500250>, shifts = array<i32: 38>,
        output_zero = 0 : i32, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>}
        : (tensor<1x64x64x1xi8>, tensor<3x3x1x2xi8>, tensor<2xi32>) -> tensor<1x64x64x2xi8>
      %2 = weir.quantized_max_pool %1 {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
        : (tensor<1x64x64x2xi8>) -> tensor<1x31x31x2xi8>
      weir.yield %2 : tensor<1x31x31x2xi8>
    }
    rt.fetch 0, %g : tensor<1x31x31x2xi8>
    return %ok : i32
  }
}

// -----

// Weights that are fed are an entry that is loaded from; they are not batched.
// CHECK-LABEL: module
// CHECK:       mxu.program @fed.mxu array 128 scratch 0 {
// CHECK-NEXT:    mxu.input elements 1 row 8 rows 4
// CHECK-NEXT:    mxu.input elements 1 row 16{{$}}
// CHECK-NEXT:    mxu.input elements 4 row 8{{$}}
// CHECK-NEXT:    mxu.output elements 1 row 2 rows 4
// CHECK:         mxu.ldw space=3 offset=0 stride=2 lanes=2 rows=8
// CHECK:         mxu.ldp space=4 offset=0 lanes=2 param=0
// CHECK:       mxu.run @fed.mxu {{.*}}(%{{.+}}, %{{.+}}, %{{.+}} : memref<4x8xi8>, memref<8x2xi8>, memref<2xi32>) outs
module {
  func.func @fed(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:MXU:0"} {
    %ok = arith.constant 0 : i32
    %w = rt.feed 0 : tensor<8x2xi8>
    %b = rt.feed 1 : tensor<2xi32>
    %x = rt.feed 2 : tensor<4x8xi8>
    %g = weir.group "fed" -> tensor<4x2xi8> {
      %y = weir.quantized_matmul %x, %w, %b {input_zero = 0 : i32, multipliers = array<i32: 1>, shifts = array<i32: 1>,
        output_zero = 0 : i32} : (tensor<4x8xi8>, tensor<8x2xi8>, tensor<2xi32>) -> tensor<4x2xi8>
      weir.yield %y : tensor<4x2xi8>
    }
    rt.fetch 0, %g : tensor<4x2xi8>
    return %ok : i32
  }
}

// -----

// What one image takes at once does not fit: each layer's result goes to scratch
// and comes back.
// CHECK-LABEL: module
// CHECK:       mxu.program @large.mxu array 32 scratch {{[1-9][0-9]*}} {
// CHECK:         mxu.sta space=1
// CHECK:         mxu.lda space=1
// CHECK:         mxu.sta space=1
// CHECK:         mxu.lda space=1
module attributes {rt.mxu = "32x32"} {
  func.func @large(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:MXU:0"} {
    %ok = arith.constant 0 : i32
    %x = rt.feed 0 : tensor<?x110x110x8xi8>
    %g:2 = weir.group "large" -> tensor<?x110x110x8xi8>, tensor<?x110x110x8xi8> {
      %1 = weir.quantized_max_pool %x {window = array<i64: 3, 3>, strides = array<i64: 1, 1>, padding = #weir.padding<SAME>}
        : (tensor<?x110x110x8xi8>) -> tensor<?x110x110x8xi8>
      %2 = weir.quantized_max_pool %1 {window = array<i64: 3, 3>, strides = array<i64: 1, 1>, padding = #weir.padding<SAME>}
        : (tensor<?x110x110x8xi8>) -> tensor<?x110x110x8xi8>
      %3 = weir.quantized_max_pool %2 {window = array<i64: 3, 3>, strides = array<i64: 1, 1>, padding = #weir.padding<SAME>}
        : (tensor<?x110x110x8xi8>) -> tensor<?x110x110x8xi8>
      %4 = weir.quantized_max_pool %1 {window = array<i64: 2, 2>, strides = array<i64: 1, 1>, padding = #weir.padding<SAME>}
        : (tensor<?x110x110x8xi8>) -> tensor<?x110x110x8xi8>
      weir.yield %3, %4 : tensor<?x110x110x8xi8>, tensor<?x110x110x8xi8>
    }
    rt.fetch 0, %g#0 : tensor<?x110x110x8xi8>
    rt.fetch 1, %g#1 : tensor<?x110x110x8xi8>
    return %ok : i32
  }
}

// -----

// Rows of two feeds are two programs.
// CHECK-LABEL: module
// CHECK-DAG:   mxu.program @two.mxu array 128
// CHECK-DAG:   mxu.program @two.mxu_0 array 128
// CHECK-LABEL: func.func @two
// CHECK:         mxu.run @two.mxu {{.*}} : memref<?x4x4x2xi8>) outs(%{{.+}} : memref<?x2x2x2xi8>)
// CHECK:         mxu.run @two.mxu_0 {{.*}} : memref<3x4x4x2xi8>) outs(%{{.+}} : memref<3x2x2x2xi8>)
module {
  func.func @two(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:MXU:0"} {
    %ok = arith.constant 0 : i32
    %x = rt.feed 0 : tensor<?x4x4x2xi8>
    %y = rt.feed 1 : tensor<3x4x4x2xi8>
    %g:2 = weir.group "two" -> tensor<?x2x2x2xi8>, tensor<3x2x2x2xi8> {
      %1 = weir.quantized_max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
        : (tensor<?x4x4x2xi8>) -> tensor<?x2x2x2xi8>
      %2 = weir.quantized_max_pool %y {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
        : (tensor<3x4x4x2xi8>) -> tensor<3x2x2x2xi8>
      weir.yield %1, %2 : tensor<?x2x2x2xi8>, tensor<3x2x2x2xi8>
    }
    rt.fetch 0, %g#0 : tensor<?x2x2x2xi8>
    rt.fetch 1, %g#1 : tensor<3x2x2x2xi8>
    return %ok : i32
  }
}
