// Ops of devices: their text form, and what they refuse.
//
// RUN: weir-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @device
// CHECK:         %[[M:.+]] = rt.device_alloc(%{{.+}}) : memref<?x10xf32>
// CHECK:         rt.copy_to_device %{{.+}}, %{{.+}} on compute : memref<4xf32> to memref<4xf32>
// CHECK:         rt.device_write %[[V:.+]], %[[M]][%{{.+}}, %{{.+}}] : f32, memref<?x10xf32>
// CHECK:         rt.gpu_launch @code::@k blocks(%{{.+}}, %{{.+}}, %{{.+}}) threads(%{{.+}}, %{{.+}}, %{{.+}}) shared 128(%[[M]], %{{.+}} : memref<?x10xf32>, index) "'k' at x.mlir:1"
// CHECK:         rt.gpu_launch @code::@empty {{.+}} shared 0() "'empty'"
// CHECK:         rt.mxu_run "'m'", dense<[1, 2]> : tensor<2xi8>(%{{.+}} : memref<4xf32>) outs(%{{.+}} : memref<4xf32>)
// CHECK:         rt.device_free %[[M]] : memref<?x10xf32>
func.func @device(%n: index, %h: memref<4xf32>, %d: memref<4xf32>, %v: f32) {
  %m = rt.device_alloc(%n) : memref<?x10xf32>
  rt.copy_to_device %h, %d on compute : memref<4xf32> to memref<4xf32>
  rt.device_write %v, %m[%n, %n] : f32, memref<?x10xf32>
  rt.gpu_launch @code::@k blocks(%n, %n, %n) threads(%n, %n, %n) shared 128 (%m, %n : memref<?x10xf32>, index) "'k' at x.mlir:1"
  rt.gpu_launch @code::@empty blocks(%n, %n, %n) threads(%n, %n, %n) shared 0 () "'empty'"
  rt.mxu_run "'m'", dense<[1, 2]> : tensor<2xi8> (%d : memref<4xf32>) outs (%d : memref<4xf32>)
  rt.device_free %m : memref<?x10xf32>
  return
}
// CHECK-LABEL: func.func @streams
// CHECK:         %[[H:.+]] = rt.host_alloc : memref<f32>
// CHECK:         %[[E:.+]] = rt.event_record compute
// CHECK:         rt.event_wait %[[E]], transfer
// CHECK:         rt.copy_to_host %{{.+}}, %[[H]] on transfer : memref<f32, strided<[], offset: ?>> to memref<f32>
// CHECK:         rt.event_synchronize %[[E]]
// CHECK:         rt.host_free %[[H]] : memref<f32>
// CHECK:         rt.event_wait %{{.+}}, transfer
func.func @streams(%d: memref<f32, strided<[], offset: ?>>, %other: !rt.event) {
  %h = rt.host_alloc : memref<f32>
  %e = rt.event_record compute
  rt.event_wait %e, transfer
  rt.copy_to_host %d, %h on transfer : memref<f32, strided<[], offset: ?>> to memref<f32>
  rt.event_synchronize %e
  rt.host_free %h : memref<f32>
  rt.event_wait %other, transfer
  return
}

// CHECK-LABEL: func.func @check
// CHECK:         %{{.+}} = rt.check_record : memref<3xi64>
// CHECK:         %{{.+}} = rt.check_site 3, "'gather' at x.mlir:1", "[WEIR0330] an index is outside 0 <= i < {0}"
func.func @check() -> (memref<3xi64>, i64) {
  %r = rt.check_record : memref<3xi64>
  %s = rt.check_site 3, "'gather' at x.mlir:1", "[WEIR0330] an index is outside 0 <= i < {0}"
  return %r, %s : memref<3xi64>, i64
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
  // expected-error@below {{[WEIR0018] copies between contiguous buffers of one static shape and element type}}
  rt.copy_to_device %h, %d on compute : memref<4xf32> to memref<5xf32>
  return
}

// -----

func.func @strided(%h: memref<4xf32>, %d: memref<4xf32, strided<[2]>>) {
  // expected-error@below {{[WEIR0018] copies between contiguous buffers of one static shape and element type}}
  rt.copy_to_host %d, %h on transfer : memref<4xf32, strided<[2]>> to memref<4xf32>
  return
}

// -----

func.func @locked() {
  // expected-error@below {{[WEIR0018] page-locked memory is row-major and of static shape, got 'memref<4xf32, strided<[2]>>'}}
  %h = rt.host_alloc : memref<4xf32, strided<[2]>>
  return
}

// -----

func.func @wait() {
  %e = rt.event_record transfer
  // expected-error@below {{[WEIR0018] stream 'transfer' waits for an event of its own}}
  rt.event_wait %e, transfer
  return
}

// -----

func.func @record() {
  // expected-error@below {{[WEIR0018] a record is memref<3xi64>, got 'memref<4xi64>'}}
  %r = rt.check_record : memref<4xi64>
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
