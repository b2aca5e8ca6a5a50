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

// -----

// dataflow_c1
// expected-error@below {{'rt.dataflow' op [WEIR0018] frame 1 is {name, parent, parallel_iterations} with 0 <= parent < 1 and one iteration at least}}
rt.dataflow @f feeds [] fetches [] frames [{name = "f", parallel_iterations = 1 : i64, parent = 1 : i64}] {
}

// -----

// dataflow_c2
rt.dataflow @f feeds [] fetches [] frames [] {
  // expected-error@below {{'arith.constant' op [WEIR0018] is no part of a table of nodes}}
  %c = arith.constant 1 : i32
}

// -----

// immediate_c1
rt.dataflow @f feeds [] fetches [] frames [] {
  // expected-error@below {{'rt.immediate' op [WEIR0018] is elements or a symbol, got 1 : i32}}
  %c = rt.immediate(1 : i32) : <tensor<i32>>
}

// -----

// node_c1
rt.dataflow @f feeds [] fetches [] frames [] {
  // expected-error@below {{'rt.node' op [WEIR0018] a node of kind call has the attribute 'call'}}
  %c = rt.node call "'f'"() : () -> ()
}

// -----

// node_c2
rt.dataflow @f feeds [] fetches [] frames [] {
  // expected-error@below {{'rt.node' op [WEIR0018] there is no such frame; the table has frames 0 to 0}}
  %c = rt.node no_op "'f'"() {frame = 1 : i64} : () -> ()
}
