// Every error of the dialect's verifiers. The constraint violated stands above
// each (`save_c1`); those that ODS checks have none.
//
// RUN: weir-opt %s -split-input-file -verify-diagnostics

// A feed has a place, and places are counted from 0.
func.func @f() {
  // expected-error@below {{'rt.feed' op attribute 'index' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %x = rt.feed -1 : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@below {{'rt.fetch' op attribute 'index' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  rt.fetch -1, %x : tensor<f32>
  return
}

// -----

func.func @f(%p: tensor<!weir.string>, %x: tensor<f32>) {
  // save_c1
  // expected-error@below {{[WEIR0018] has 2 names for 1 values}}
  rt.save "save", %p names ["a", "b"](%x) : tensor<!weir.string>, tensor<f32>
  return
}

// -----

func.func @f(%p: tensor<!weir.string>) {
  // restore_c1
  // expected-error@below {{[WEIR0018] has 0 names for 1 values}}
  %x = rt.restore "restore", %p names [] : tensor<!weir.string> -> tensor<f32>
  return
}

// -----

func.func @f(%p: tensor<!weir.string>) {
  // restore_c1
  // expected-error@below {{[WEIR0018] restores nothing}}
  "rt.restore"(%p) <{node = "n", names = []}> : (tensor<!weir.string>) -> ()
  return
}

// -----

func.func @f(%m: memref<f32>) {
  // save_buffers_c1
  // expected-error@below {{[WEIR0018] has 0 names for 1 values}}
  rt.save_buffers "save", 0 names [](%m) : memref<f32>
  return
}

// -----

func.func @f(%m: memref<f32>) {
  // restore_buffers_c1
  // expected-error@below {{[WEIR0018] has 0 names for 1 values}}
  rt.restore_buffers "restore", 0 names [](%m) : memref<f32>
  return
}
