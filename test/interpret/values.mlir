// RUN: weir-run %s --interpret --entry=lists | FileCheck %s --check-prefix=LISTS
// RUN: weir-run %s --entry=lists | FileCheck %s --check-prefix=LISTS
// RUN: weir-run %s --interpret --entry=branches | FileCheck %s --check-prefix=BRANCHES
// RUN: weir-run %s --entry=branches | FileCheck %s --check-prefix=BRANCHES
// RUN: weir-run %s --interpret --entry=zeros | FileCheck %s --check-prefix=ZEROS
// RUN: weir-run %s --entry=zeros | FileCheck %s --check-prefix=ZEROS
// RUN: weir-run %s --interpret --entry=nested | FileCheck %s --check-prefix=NESTED
// RUN: weir-run %s --entry=nested | FileCheck %s --check-prefix=NESTED
// RUN: weir-run %s --interpret --entry=optionals | FileCheck %s --check-prefix=OPTIONALS
// RUN: weir-run %s --entry=optionals | FileCheck %s --check-prefix=OPTIONALS
// RUN: weir-run %s --interpret --entry=strings | FileCheck %s --check-prefix=STRINGS
// RUN: weir-run %s --entry=strings | FileCheck %s --check-prefix=STRINGS
// RUN: weir-run %s --interpret --entry=select --feed i=1 | FileCheck %s --check-prefix=SELECT
// RUN: weir-run %s --entry=select --feed i=1 | FileCheck %s --check-prefix=SELECT
// RUN: weir-run %s --interpret --entry=state | FileCheck %s --check-prefix=STATE
// RUN: weir-run %s --entry=state | FileCheck %s --check-prefix=STATE
// RUN: not weir-run %s --interpret --entry=select --feed i=2 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not weir-run %s --entry=select --feed i=2 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not weir-run %s --interpret --entry=empty 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not weir-run %s --entry=empty 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not weir-run %s --interpret --entry=none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not weir-run %s --entry=none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not weir-run %s --interpret --entry=gone 2>&1 | FileCheck %s --check-prefix=GONE
// RUN: not weir-run %s --entry=gone 2>&1 | FileCheck %s --check-prefix=GONE
// RUN: not weir-run %s --interpret --entry=limit 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not weir-run %s --entry=limit 2>&1 | FileCheck %s --check-prefix=LIMIT
// Lists of tensors, optionals, strings that move: interpreted, and under the executor; docs/spec/values.md has the rules.
// REQUIRES: weir-run

module {
  weir.variable @words : tensor<2x!weir.string>
  weir.variable @any : tensor<*xf32>

  // What was put in last comes out first; a list that was changed is as it was.
  // LISTS: last = [3, 4]
  // LISTS: all = {{\[}}[1, 2], [3, 4]]
  // LISTS: changed = {{\[}}[5, 6], [3, 4]]
  // LISTS: size = 1
  weir.graph @lists() -> (tensor<2xf32> {weir.name = "last"}, tensor<?x2xf32> {weir.name = "all"}, tensor<?x2xf32> {weir.name = "changed"}, tensor<i32> {weir.name = "size"}) {
    %zero = weir.constant dense<0> : tensor<i32>
    %x = weir.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %y = weir.constant dense<[3.0, 4.0]> : tensor<2xf32>
    %z = weir.constant dense<[5.0, 6.0]> : tensor<2xf32>
    %l0, %c0 = weir.tensor_list %zero {element = tensor<2xf32>} : (tensor<i32>) -> (!weir.resource, !weir.control)
    %l1, %c1 = weir.tensor_list_push %l0, %x : (!weir.resource, tensor<2xf32>) -> (!weir.resource, !weir.control)
    %l2, %c2 = weir.tensor_list_push %l1, %y : (!weir.resource, tensor<2xf32>) -> (!weir.resource, !weir.control)
    %l3, %c3 = weir.tensor_list_set %l2, %zero, %z : (!weir.resource, tensor<i32>, tensor<2xf32>) -> (!weir.resource, !weir.control)
    %l4, %last, %c4 = weir.tensor_list_pop %l2 : (!weir.resource) -> (!weir.resource, tensor<2xf32>, !weir.control)
    %all, %c5 = weir.tensor_list_stack %l2 : (!weir.resource) -> (tensor<?x2xf32>, !weir.control)
    %changed, %c6 = weir.tensor_list_stack %l3 : (!weir.resource) -> (tensor<?x2xf32>, !weir.control)
    %size, %c7 = weir.tensor_list_size %l4 : (!weir.resource) -> (tensor<i32>, !weir.control)
    weir.fetch %last, %all, %changed, %size : tensor<2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<i32>
  }

  // Two lists that go on from one do not see each other's elements.
  // BRANCHES: a = [1, 2]
  // BRANCHES: b = [1, 3]
  // BRANCHES: c = [1, 4]
  weir.graph @branches() -> (tensor<?xf32> {weir.name = "a"}, tensor<?xf32> {weir.name = "b"}, tensor<?xf32> {weir.name = "c"}) {
    %zero = weir.constant dense<0> : tensor<i32>
    %one = weir.constant dense<1.0> : tensor<f32>
    %two = weir.constant dense<2.0> : tensor<f32>
    %three = weir.constant dense<3.0> : tensor<f32>
    %four = weir.constant dense<4.0> : tensor<f32>
    %l0, %c0 = weir.tensor_list %zero {element = tensor<f32>} : (tensor<i32>) -> (!weir.resource, !weir.control)
    %l1, %c1 = weir.tensor_list_push %l0, %one : (!weir.resource, tensor<f32>) -> (!weir.resource, !weir.control)
    %la, %c2 = weir.tensor_list_push %l1, %two : (!weir.resource, tensor<f32>) -> (!weir.resource, !weir.control)
    %lb, %c3 = weir.tensor_list_push %l1, %three after(%c2) : (!weir.resource, tensor<f32>) -> (!weir.resource, !weir.control)
    %lp, %popped, %c4 = weir.tensor_list_pop %la : (!weir.resource) -> (!weir.resource, tensor<f32>, !weir.control)
    %lc, %c5 = weir.tensor_list_push %lp, %four : (!weir.resource, tensor<f32>) -> (!weir.resource, !weir.control)
    %a, %c6 = weir.tensor_list_stack %la after(%c5) : (!weir.resource) -> (tensor<?xf32>, !weir.control)
    %b, %c7 = weir.tensor_list_stack %lb : (!weir.resource) -> (tensor<?xf32>, !weir.control)
    %c, %c8 = weir.tensor_list_stack %lc : (!weir.resource) -> (tensor<?xf32>, !weir.control)
    weir.fetch %a, %b, %c : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  }

  // An element that was never set is zeros; sums of lists count it so; pieces join again.
  // ZEROS: all = {{\[}}[0, 0], [7, 8], [0, 0]]
  // ZEROS: sum = {{\[}}[1, 2], [7, 8], [0, 0]]
  // ZEROS: joined = [1, 2, 3]
  // ZEROS: lengths = [1, 2]
  // ZEROS: shape = [-1]
  // ZEROS: picked = {{\[}}[7, 8], [7, 8]]
  weir.graph @zeros() -> (tensor<?x2xf32> {weir.name = "all"}, tensor<?x2xf32> {weir.name = "sum"}, tensor<?xi32> {weir.name = "joined"}, tensor<?xi64> {weir.name = "lengths"}, tensor<?xi32> {weir.name = "shape"}, tensor<2x2xf32> {weir.name = "picked"}) {
    %n = weir.constant dense<3> : tensor<i32>
    %at = weir.constant dense<1> : tensor<1xi32>
    %first = weir.constant dense<0> : tensor<1xi32>
    %twice = weir.constant dense<[1, 1]> : tensor<2xi32>
    %x = weir.constant dense<[[7.0, 8.0]]> : tensor<1x2xf32>
    %y = weir.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
    %v = weir.constant dense<[1, 2, 3]> : tensor<3xi32>
    %ls = weir.constant dense<[1, 2]> : tensor<2xi64>
    %l0, %c0 = weir.tensor_list %n {element = tensor<2xf32>} : (tensor<i32>) -> (!weir.resource, !weir.control)
    %l1, %c1 = weir.tensor_list_scatter %l0, %at, %x : (!weir.resource, tensor<1xi32>, tensor<1x2xf32>) -> (!weir.resource, !weir.control)
    %l2, %c2 = weir.tensor_list_scatter %l0, %first, %y : (!weir.resource, tensor<1xi32>, tensor<1x2xf32>) -> (!weir.resource, !weir.control)
    %l3, %c3 = weir.tensor_list_add %l1, %l2 : (!weir.resource, !weir.resource) -> (!weir.resource, !weir.control)
    %all, %c4 = weir.tensor_list_stack %l1 : (!weir.resource) -> (tensor<?x2xf32>, !weir.control)
    %sum, %c5 = weir.tensor_list_stack %l3 : (!weir.resource) -> (tensor<?x2xf32>, !weir.control)
    %l4, %c6 = weir.tensor_list_split %v, %ls : (tensor<3xi32>, tensor<2xi64>) -> (!weir.resource, !weir.control)
    %joined, %lengths, %c7 = weir.tensor_list_concat %l4 : (!weir.resource) -> (tensor<?xi32>, tensor<?xi64>, !weir.control)
    %shape, %c8 = weir.tensor_list_element_shape %l4 : (!weir.resource) -> (tensor<?xi32>, !weir.control)
    %picked, %c9 = weir.tensor_list_gather %l1, %twice : (!weir.resource, tensor<2xi32>) -> (tensor<2x2xf32>, !weir.control)
    weir.fetch %all, %sum, %joined, %lengths, %shape, %picked : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<?xi64>, tensor<?xi32>, tensor<2x2xf32>
  }

  // A list in a list; zeros like a list; one made of slices, and made longer.
  // NESTED: inner = [1, 2]
  // NESTED: zeros = [0, 0, 0]
  weir.graph @nested() -> (tensor<?xf32> {weir.name = "inner"}, tensor<?xf32> {weir.name = "zeros"}) {
    %zero = weir.constant dense<0> : tensor<i32>
    %n = weir.constant dense<3> : tensor<i32>
    %x = weir.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %l0, %c0 = weir.tensor_list_from_tensor %x : (tensor<2xf32>) -> (!weir.resource, !weir.control)
    %o0, %c1 = weir.tensor_list %zero {element = !weir.resource} : (tensor<i32>) -> (!weir.resource, !weir.control)
    %o1, %c2 = weir.tensor_list_push %o0, %l0 : (!weir.resource, !weir.resource) -> (!weir.resource, !weir.control)
    %l1, %c3 = weir.tensor_list_get %o1, %zero : (!weir.resource, tensor<i32>) -> (!weir.resource, !weir.control)
    %inner, %c4 = weir.tensor_list_stack %l1 : (!weir.resource) -> (tensor<?xf32>, !weir.control)
    %l2, %c5 = weir.tensor_list_zeros %l1 : (!weir.resource) -> (!weir.resource, !weir.control)
    %l3, %c6 = weir.tensor_list_resize %l2, %n : (!weir.resource, tensor<i32>) -> (!weir.resource, !weir.control)
    %zeros, %c7 = weir.tensor_list_stack %l3 : (!weir.resource) -> (tensor<?xf32>, !weir.control)
    weir.fetch %inner, %zeros : tensor<?xf32>, tensor<?xf32>
  }

  // OPTIONALS: has = true
  // OPTIONALS: hasNot = false
  // OPTIONALS: x = 2
  // OPTIONALS: y = "b"
  weir.graph @optionals() -> (tensor<i1> {weir.name = "has"}, tensor<i1> {weir.name = "hasNot"}, tensor<f32> {weir.name = "x"}, tensor<!weir.string> {weir.name = "y"}) {
    %a = weir.constant dense<2.0> : tensor<f32>
    %b = weir.constant dense<"b"> : tensor<!weir.string>
    %o, %c0 = weir.optional_from_values %a, %b : (tensor<f32>, tensor<!weir.string>) -> (!weir.resource, !weir.control)
    %n, %c1 = weir.optional_none : () -> (!weir.resource, !weir.control)
    %has, %c2 = weir.optional_has_values %o : (!weir.resource) -> (tensor<i1>, !weir.control)
    %hasNot, %c3 = weir.optional_has_values %n : (!weir.resource) -> (tensor<i1>, !weir.control)
    %x, %y, %c4 = weir.optional_get_values %o : (!weir.resource) -> (tensor<f32>, tensor<!weir.string>, !weir.control)
    weir.fetch %has, %hasNot, %x, %y : tensor<i1>, tensor<i1>, tensor<f32>, tensor<!weir.string>
  }

  // Places count through both operands; comparison is by bytes, and broadcasts.
  // STRINGS: taken = {{\[}}["c", "a"], ["", "c"]]
  // STRINGS: less = {{\[}}[false, true], [true, false]]
  // STRINGS: words = ["a", "", "c"]
  // STRINGS: where = [0, 1, 2, 0]
  weir.graph @strings() -> (tensor<2x2x!weir.string> {weir.name = "taken"}, tensor<2x2xi1> {weir.name = "less"}, tensor<?x!weir.string> {weir.name = "words"}, tensor<?xi32> {weir.name = "where"}) {
    %a = weir.constant dense<["a", ""]> : tensor<2x!weir.string>
    %b = weir.constant dense<["c", "a"]> : tensor<2x!weir.string>
    %i = weir.constant dense<[[2, 3], [1, 2]]> : tensor<2x2xi64>
    %all = weir.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
    %limit = weir.constant dense<"b"> : tensor<1x1x!weir.string>
    %taken, %c0 = weir.take_strings %i, %a, %b : (tensor<2x2xi64>, tensor<2x!weir.string>, tensor<2x!weir.string>) -> (tensor<2x2x!weir.string>, !weir.control)
    %less, %c1 = weir.compare_strings %taken, %limit {predicate = #weir.compare<lt>} : (tensor<2x2x!weir.string>, tensor<1x1x!weir.string>) -> (tensor<2x2xi1>, !weir.control)
    %list, %c2 = weir.take_strings %all, %a, %b : (tensor<4xi64>, tensor<2x!weir.string>, tensor<2x!weir.string>) -> (tensor<4x!weir.string>, !weir.control)
    %words, %where, %counts, %c3 = weir.unique %list : (tensor<4x!weir.string>) -> (tensor<?x!weir.string>, tensor<?xi32>, tensor<?xi32>, !weir.control)
    weir.fetch %taken, %less, %words, %where : tensor<2x2x!weir.string>, tensor<2x2xi1>, tensor<?x!weir.string>, tensor<?xi32>
  }

  // SELECT: x = [2, 3]
  // OUTSIDE: [WEIR0455] 'weir.select_n' at {{.*}}: index 2 is outside of 0 <= i < 2
  weir.graph @select(%i: tensor<i32> {weir.name = "i"}) -> (tensor<*xf32> {weir.name = "x"}) {
    %a = weir.constant dense<1.0> : tensor<f32>
    %b = weir.constant dense<[2.0, 3.0]> : tensor<2xf32>
    %x, %c = weir.select_n %i, %a, %b : (tensor<i32>, tensor<f32>, tensor<2xf32>) -> (tensor<*xf32>, !weir.control)
    weir.fetch %x : tensor<*xf32>
  }

  // Variables of strings, of values of any shape, of the step.
  // STATE: words = ["x", ""]
  // STATE: first = [1, 2]
  // STATE: second = {{\[}}[3]]
  // STATE: t = [11, 12]
  weir.graph @state() -> (tensor<2x!weir.string> {weir.name = "words"}, tensor<*xf32> {weir.name = "first"}, tensor<*xf32> {weir.name = "second"}, tensor<2xf32> {weir.name = "t"}) {
    %s = weir.constant dense<["x", ""]> : tensor<2x!weir.string>
    %x = weir.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %y = weir.constant dense<[[3.0]]> : tensor<1x1xf32>
    %ten = weir.constant dense<10.0> : tensor<2xf32>
    %hs = weir.handle @words
    %ha = weir.handle @any
    %c0 = weir.assign_resource %hs, %s : (!weir.resource, tensor<2x!weir.string>) -> !weir.control
    %words, %c1 = weir.read_resource %hs after(%c0) : (!weir.resource) -> (tensor<2x!weir.string>, !weir.control)
    %c2 = weir.assign_resource %ha, %x : (!weir.resource, tensor<2xf32>) -> !weir.control
    %first, %c3 = weir.read_resource %ha after(%c2) : (!weir.resource) -> (tensor<*xf32>, !weir.control)
    %c4 = weir.assign_resource %ha, %y after(%c3) : (!weir.resource, tensor<1x1xf32>) -> !weir.control
    %second, %c5 = weir.read_resource %ha after(%c4) : (!weir.resource) -> (tensor<*xf32>, !weir.control)
    %ht, %c6 = weir.temporary_variable {type = tensor<2xf32>} : () -> (!weir.resource, !weir.control)
    %c7 = weir.assign_resource %ht, %x : (!weir.resource, tensor<2xf32>) -> !weir.control
    %c8 = weir.assign_add_resource %ht, %ten after(%c7) : (!weir.resource, tensor<2xf32>) -> !weir.control
    %t, %c9 = weir.read_resource %ht after(%c8) : (!weir.resource) -> (tensor<2xf32>, !weir.control)
    weir.fetch %words, %first, %second, %t : tensor<2x!weir.string>, tensor<*xf32>, tensor<*xf32>, tensor<2xf32>
  }

  // EMPTY: [WEIR0457] 'weir.tensor_list_pop' at {{.*}}: the list has no element to take
  weir.graph @empty() -> (tensor<f32> {weir.name = "x"}) {
    %zero = weir.constant dense<0> : tensor<i32>
    %l, %c0 = weir.tensor_list %zero {element = tensor<f32>} : (tensor<i32>) -> (!weir.resource, !weir.control)
    %m, %x, %c1 = weir.tensor_list_pop %l : (!weir.resource) -> (!weir.resource, tensor<f32>, !weir.control)
    weir.fetch %x : tensor<f32>
  }

  // NONE: [WEIR0459] 'weir.optional_get_values' at {{.*}}: 1 values are wanted of an optional that has none
  weir.graph @none() -> (tensor<f32> {weir.name = "x"}) {
    %o, %c0 = weir.optional_none : () -> (!weir.resource, !weir.control)
    %x, %c1 = weir.optional_get_values %o : (!weir.resource) -> (tensor<f32>, !weir.control)
    weir.fetch %x : tensor<f32>
  }

  // A variable whose value was taken away has none.
  // GONE: [WEIR0306]
  weir.graph @gone() -> (tensor<2xf32> {weir.name = "x"}) {
    %x = weir.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %h, %c0 = weir.temporary_variable {type = tensor<2xf32>} : () -> (!weir.resource, !weir.control)
    %c1 = weir.assign_resource %h, %x : (!weir.resource, tensor<2xf32>) -> !weir.control
    %c2 = weir.variable_destroy %h after(%c1) : (!weir.resource) -> !weir.control
    %y, %c3 = weir.read_resource %h after(%c2) : (!weir.resource) -> (tensor<2xf32>, !weir.control)
    weir.fetch %y : tensor<2xf32>
  }

  // LIMIT: [WEIR0336] 'weir.assert' at {{.*}}: assertion failed: no more
  weir.graph @limit() {
    %no = weir.constant dense<false> : tensor<i1>
    %c = weir.assert %no {message = "no more", out_of_range} : (tensor<i1>) -> !weir.control
    weir.fetch after(%c)
  }
}
