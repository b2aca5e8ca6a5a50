// Ops of devices: their text form, and what they refuse.
//
// RUN: weir-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @device
// CHECK:         %[[M:.+]] = rt.device_alloc(%{{.+}}) : memref<?x10xf32>
// CHECK:         rt.copy_to_device %{{.+}}, %{{.+}} : memref<4xf32> to memref<4xf32>
// CHECK:         rt.copy_to_host %{{.+}}, %{{.+}} : memref<4xf32> to memref<4xf32>
// CHECK:         %[[V:.+]] = rt.device_read %[[M]][%{{.+}}, %{{.+}}] : memref<?x10xf32> -> f32
// CHECK:         rt.device_write %[[V]], %[[M]][%{{.+}}, %{{.+}}] : f32, memref<?x10xf32>
// CHECK:         rt.gpu_launch @code::@k blocks(%{{.+}}, %{{.+}}, %{{.+}}) threads(%{{.+}}, %{{.+}}, %{{.+}}) shared 128(%[[M]], %{{.+}} : memref<?x10xf32>, index) "'k' at x.mlir:1"
// CHECK:         rt.gpu_launch @code::@empty {{.+}} shared 0() "'empty'"
// CHECK:         rt.mxu_run "'m'", dense<[1, 2]> : tensor<2xi8>(%{{.+}} : memref<4xf32>) outs(%{{.+}} : memref<4xf32>)
// CHECK:         rt.device_free %[[M]] : memref<?x10xf32>
func.func @device(%n: index, %h: memref<4xf32>, %d: memref<4xf32>) {
  %m = rt.device_alloc(%n) : memref<?x10xf32>
  rt.copy_to_device %h, %d : memref<4xf32> to memref<4xf32>
  rt.copy_to_host %d, %h : memref<4xf32> to memref<4xf32>
  %v = rt.device_read %m[%n, %n] : memref<?x10xf32> -> f32
  rt.device_write %v, %m[%n, %n] : f32, memref<?x10xf32>
  rt.gpu_launch @code::@k blocks(%n, %n, %n) threads(%n, %n, %n) shared 128 (%m, %n : memref<?x10xf32>, index) "'k' at x.mlir:1"
  rt.gpu_launch @code::@empty blocks(%n, %n, %n) threads(%n, %n, %n) shared 0 () "'empty'"
  rt.mxu_run "'m'", dense<[1, 2]> : tensor<2xi8> (%d : memref<4xf32>) outs (%d : memref<4xf32>)
  rt.device_free %m : memref<?x10xf32>
  return
}
// CHECK:       rt.gpu_module @code ["k", "empty"] images [{architecture = 80 : i32, data = "x", specific = false}] ptx ".version 8.0" emulated
rt.gpu_module @code ["k", "empty"] images [{architecture = 80 : i32, specific = false, data = "x"}] ptx ".version 8.0" emulated

// -----

func.func @alloc() {
  // expected-error@below {{[WEIR0018] has 0 extents for the dynamic ones of 'memref<?xf32>'}}
  %m = rt.device_alloc() : memref<?xf32>
  return
}

// -----

func.func @copy(%h: memref<4xf32>, %d: memref<5xf32>) {
  // expected-error@below {{[WEIR0018] copies between row-major buffers of one static shape and element type}}
  rt.copy_to_device %h, %d : memref<4xf32> to memref<5xf32>
  return
}

// -----

func.func @strided(%h: memref<4xf32>, %d: memref<4xf32, strided<[2]>>) {
  // expected-error@below {{[WEIR0018] copies between row-major buffers of one static shape and element type}}
  rt.copy_to_host %d, %h : memref<4xf32, strided<[2]>> to memref<4xf32>
  return
}

// -----

func.func @read(%d: memref<4xf32>) {
  // expected-error@below {{[WEIR0018] 0 indices do not name an element of type 'f32' in 'memref<4xf32>'}}
  %v = rt.device_read %d[] : memref<4xf32> -> f32
  return
}

// -----

func.func @write(%d: memref<4xf32>, %i: index, %v: f64) {
  // expected-error@below {{[WEIR0018] 1 indices do not name an element of type 'f64' in 'memref<4xf32>'}}
  rt.device_write %v, %d[%i] : f64, memref<4xf32>
  return
}

// -----

// expected-error@below {{[WEIR0018] an image is {architecture, specific, data}, got 1 : i64}}
rt.gpu_module @code ["k"] images [1]

// -----

func.func @launch(%n: index) {
  // expected-error@below {{[WEIR0018] a grid and a block have three extents, got 1 and 3}}
  rt.gpu_launch @code::@k blocks(%n) threads(%n, %n, %n) shared 0 () "'k'"
  return
}
