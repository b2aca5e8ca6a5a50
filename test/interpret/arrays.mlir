// RUN: weir-run %s --interpret --entry=stack | FileCheck %s --check-prefix=STACK
// RUN: weir-run %s --interpret --entry=array | FileCheck %s --check-prefix=ARRAY
// RUN: weir-run %s --interpret --entry=parts | FileCheck %s --check-prefix=PARTS
// RUN: weir-run %s --interpret --entry=zeros | FileCheck %s --check-prefix=ZEROS
// RUN: weir-run %s --interpret --entry=gradient | FileCheck %s --check-prefix=GRADIENT
// RUN: weir-run %s --interpret --entry=loop --feed n=4 | FileCheck %s --check-prefix=LOOP
// RUN: not weir-run %s --interpret --entry=empty 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not weir-run %s --interpret --entry=full 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not weir-run %s --interpret --entry=twice 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not weir-run %s --interpret --entry=cleared 2>&1 | FileCheck %s --check-prefix=CLEARED
// RUN: not weir-run %s --interpret --entry=outside --feed i=2 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not weir-run %s --interpret --entry=outside --feed i=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not weir-run %s --interpret --entry=shape 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not weir-run %s --interpret --entry=unwritten 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// RUN: not weir-run %s --interpret --entry=closed 2>&1 | FileCheck %s --check-prefix=CLOSED
// Stacks and tensor arrays in steps; docs/spec/resources.md has their rules.
// REQUIRES: weir-run

module {
  // What was pushed last is popped first; a push gives its value on.
  // STACK: pushed = 2
  // STACK: first = 2
  // STACK: second = 1
  weir.graph @stack() -> (tensor<f32> {weir.name = "pushed"}, tensor<f32> {weir.name = "first"}, tensor<f32> {weir.name = "second"}) {
    %any = weir.constant dense<-1> : tensor<i32>
    %one = weir.constant dense<1.0> : tensor<f32>
    %two = weir.constant dense<2.0> : tensor<f32>
    %s, %c0 = weir.stack %any {element = f32} : (tensor<i32>) -> (!weir.resource, !weir.control)
    %a, %c1 = weir.stack_push %s, %one : (!weir.resource, tensor<f32>) -> (tensor<f32>, !weir.control)
    %b, %c2 = weir.stack_push %s, %two after(%c1) : (!weir.resource, tensor<f32>) -> (tensor<f32>, !weir.control)
    %x, %c3 = weir.stack_pop %s after(%c2) : (!weir.resource) -> (tensor<f32>, !weir.control)
    %y, %c4 = weir.stack_pop %s after(%c3) : (!weir.resource) -> (tensor<f32>, !weir.control)
    weir.fetch %b, %x, %y : tensor<f32>, tensor<f32>, tensor<f32>
  }

  // Elements are written in any order; the array grows where it may.
  // ARRAY: all = {{\[}}[1, 2], [3, 4], [5, 6]]
  // ARRAY: size = 3
  weir.graph @array() -> (tensor<?x2xf32> {weir.name = "all"}, tensor<i32> {weir.name = "size"}) {
    %n = weir.constant dense<1> : tensor<i32>
    %zero = weir.constant dense<0> : tensor<i32>
    %ends = weir.constant dense<[2, 1]> : tensor<2xi32>
    %order = weir.constant dense<[0, 1, 2]> : tensor<3xi32>
    %x = weir.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %y = weir.constant dense<[[5.0, 6.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %h, %f0, %c0 = weir.tensor_array %n {element = tensor<2xf32>, dynamic_size, clear_after_read} : (tensor<i32>) -> (!weir.resource, tensor<f32>, !weir.control)
    %f1, %c1 = weir.tensor_array_scatter %h, %ends, %y, %f0 : (!weir.resource, tensor<2xi32>, tensor<2x2xf32>, tensor<f32>) -> (tensor<f32>, !weir.control)
    %f2, %c2 = weir.tensor_array_write %h, %zero, %x, %f1 : (!weir.resource, tensor<i32>, tensor<2xf32>, tensor<f32>) -> (tensor<f32>, !weir.control)
    %all, %c3 = weir.tensor_array_gather %h, %order, %f2 : (!weir.resource, tensor<3xi32>, tensor<f32>) -> (tensor<?x2xf32>, !weir.control)
    %size, %c4 = weir.tensor_array_size %h, %f2 : (!weir.resource, tensor<f32>) -> (tensor<i32>, !weir.control)
    weir.fetch %all, %size : tensor<?x2xf32>, tensor<i32>
  }

  // A split by lengths and a concat undo each other.
  // PARTS: second = ["b", "c"]
  // PARTS: all = ["a", "b", "c"]
  // PARTS: lengths = [1, 2, 0]
  weir.graph @parts() -> (tensor<*x!weir.string> {weir.name = "second"}, tensor<?x!weir.string> {weir.name = "all"}, tensor<?xi64> {weir.name = "lengths"}) {
    %n = weir.constant dense<3> : tensor<i32>
    %one = weir.constant dense<1> : tensor<i32>
    %x = weir.constant dense<["a", "b", "c"]> : tensor<3x!weir.string>
    %l = weir.constant dense<[1, 2, 0]> : tensor<3xi64>
    %h, %f0, %c0 = weir.tensor_array %n {element = tensor<*x!weir.string>} : (tensor<i32>) -> (!weir.resource, tensor<f32>, !weir.control)
    %f1, %c1 = weir.tensor_array_split %h, %x, %l, %f0 : (!weir.resource, tensor<3x!weir.string>, tensor<3xi64>, tensor<f32>) -> (tensor<f32>, !weir.control)
    %second, %c2 = weir.tensor_array_read %h, %one, %f1 : (!weir.resource, tensor<i32>, tensor<f32>) -> (tensor<*x!weir.string>, !weir.control)
    %all, %lengths, %c3 = weir.tensor_array_concat %h, %f1 : (!weir.resource, tensor<f32>) -> (tensor<?x!weir.string>, tensor<?xi64>, !weir.control)
    weir.fetch %second, %all, %lengths : tensor<*x!weir.string>, tensor<?x!weir.string>, tensor<?xi64>
  }

  // What was never written reads as zeros where the shape of the elements is known, also from the first write.
  // ZEROS: zeros = [0, 0]
  // ZEROS: learned = [0, 0, 0]
  weir.graph @zeros() -> (tensor<2xi32> {weir.name = "zeros"}, tensor<*xi32> {weir.name = "learned"}) {
    %n = weir.constant dense<2> : tensor<i32>
    %zero = weir.constant dense<0> : tensor<i32>
    %one = weir.constant dense<1> : tensor<i32>
    %x = weir.constant dense<[7, 8, 9]> : tensor<3xi32>
    %h, %f, %c0 = weir.tensor_array %n {element = tensor<2xi32>} : (tensor<i32>) -> (!weir.resource, tensor<f32>, !weir.control)
    %a, %c1 = weir.tensor_array_read %h, %one, %f : (!weir.resource, tensor<i32>, tensor<f32>) -> (tensor<2xi32>, !weir.control)
    %g, %f0, %c2 = weir.tensor_array %n {element = tensor<*xi32>, identical_element_shapes} : (tensor<i32>) -> (!weir.resource, tensor<f32>, !weir.control)
    %f1, %c3 = weir.tensor_array_write %g, %zero, %x, %f0 : (!weir.resource, tensor<i32>, tensor<3xi32>, tensor<f32>) -> (tensor<f32>, !weir.control)
    %b, %c4 = weir.tensor_array_read %g, %one, %f1 : (!weir.resource, tensor<i32>, tensor<f32>) -> (tensor<*xi32>, !weir.control)
    weir.fetch %a, %b : tensor<2xi32>, tensor<*xi32>
  }

  // Gradients of one source add up; what got none is zeros of its element's shape.
  // GRADIENT: first = [3, 3]
  // GRADIENT: second = [0, 0, 0]
  weir.graph @gradient() -> (tensor<*xf32> {weir.name = "first"}, tensor<*xf32> {weir.name = "second"}) {
    %n = weir.constant dense<2> : tensor<i32>
    %zero = weir.constant dense<0> : tensor<i32>
    %one = weir.constant dense<1> : tensor<i32>
    %x = weir.constant dense<1.0> : tensor<2xf32>
    %y = weir.constant dense<2.0> : tensor<2xf32>
    %z = weir.constant dense<5.0> : tensor<3xf32>
    %h, %f0, %c0 = weir.tensor_array %n {element = tensor<*xf32>} : (tensor<i32>) -> (!weir.resource, tensor<f32>, !weir.control)
    %f1, %c1 = weir.tensor_array_write %h, %zero, %x, %f0 : (!weir.resource, tensor<i32>, tensor<2xf32>, tensor<f32>) -> (tensor<f32>, !weir.control)
    %f2, %c2 = weir.tensor_array_write %h, %one, %z, %f1 : (!weir.resource, tensor<i32>, tensor<3xf32>, tensor<f32>) -> (tensor<f32>, !weir.control)
    %g, %g0, %c3 = weir.tensor_array_gradient %h, %f2 {source = "loss"} : (!weir.resource, tensor<f32>) -> (!weir.resource, tensor<f32>, !weir.control)
    %g1, %c4 = weir.tensor_array_write %g, %zero, %x, %g0 : (!weir.resource, tensor<i32>, tensor<2xf32>, tensor<f32>) -> (tensor<f32>, !weir.control)
    %same, %s0, %c5 = weir.tensor_array_gradient %h, %g1 {source = "loss"} : (!weir.resource, tensor<f32>) -> (!weir.resource, tensor<f32>, !weir.control)
    %g2, %c6 = weir.tensor_array_write %same, %zero, %y, %s0 : (!weir.resource, tensor<i32>, tensor<2xf32>, tensor<f32>) -> (tensor<f32>, !weir.control)
    %a, %c7 = weir.tensor_array_read %g, %zero, %g2 : (!weir.resource, tensor<i32>, tensor<f32>) -> (tensor<*xf32>, !weir.control)
    %b, %c8 = weir.tensor_array_read %g, %one, %g2 : (!weir.resource, tensor<i32>, tensor<f32>) -> (tensor<*xf32>, !weir.control)
    weir.fetch %a, %b : tensor<*xf32>, tensor<*xf32>
  }

  // A loop writes an element in each iteration.
  // LOOP: squares = [0, 1, 4, 9]
  weir.graph @loop(%n: tensor<i32> {weir.name = "n"}) -> (tensor<?xi32> {weir.name = "squares"}) {
    %zero = weir.constant dense<0> : tensor<i32>
    %one = weir.constant dense<1> : tensor<i32>
    %h, %f0, %c0 = weir.tensor_array %n {element = tensor<i32>} : (tensor<i32>) -> (!weir.resource, tensor<f32>, !weir.control)
    %hh, %c1 = weir.enter %h {frame = "f", is_constant} : (!weir.resource) -> (!weir.resource, !weir.control)
    %limit, %c2 = weir.enter %n {frame = "f", is_constant} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %i0, %c3 = weir.enter %zero {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %g0, %c4 = weir.enter %f0 {frame = "f"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
    %i, %ii, %c5 = weir.merge %i0, %inext : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %g, %gi, %c6 = weir.merge %g0, %gnext : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    %less = weir.compare %i, %limit {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %go, %c7 = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
    %if, %it, %c8 = weir.switch %i, %go : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %gf, %gt, %c9 = weir.switch %g, %go : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %square = weir.mul %it, %it : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %g1, %c10 = weir.tensor_array_write %hh, %it, %square, %gt : (!weir.resource, tensor<i32>, tensor<i32>, tensor<f32>) -> (tensor<f32>, !weir.control)
    %i1 = weir.add %it, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %inext, %c11 = weir.next_iteration %i1 : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %gnext, %c12 = weir.next_iteration %g1 : (tensor<f32>) -> (tensor<f32>, !weir.control)
    %flow, %c13 = weir.exit %gf : (tensor<f32>) -> (tensor<f32>, !weir.control)
    %order = weir.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
    %all, %c14 = weir.tensor_array_gather %h, %order, %flow : (!weir.resource, tensor<4xi32>, tensor<f32>) -> (tensor<?xi32>, !weir.control)
    weir.fetch %all : tensor<?xi32>
  }

  // EMPTY: [WEIR0351] 'weir.stack_pop' at {{.*}}: stack 'weir.stack' at {{.*}} is empty
  weir.graph @empty() -> (tensor<f32> {weir.name = "x"}) {
    %any = weir.constant dense<-1> : tensor<i32>
    %s, %c0 = weir.stack %any {element = f32} : (tensor<i32>) -> (!weir.resource, !weir.control)
    %x, %c3 = weir.stack_pop %s : (!weir.resource) -> (tensor<f32>, !weir.control)
    weir.fetch %x : tensor<f32>
  }

  // FULL: [WEIR0352] 'weir.stack_push' at {{.*}}: stack 'weir.stack' at {{.*}} is full: it holds 0 values at most
  weir.graph @full() -> (tensor<f32> {weir.name = "x"}) {
    %none = weir.constant dense<0> : tensor<i32>
    %one = weir.constant dense<1.0> : tensor<f32>
    %s, %c0 = weir.stack %none {element = f32} : (tensor<i32>) -> (!weir.resource, !weir.control)
    %x, %c1 = weir.stack_push %s, %one : (!weir.resource, tensor<f32>) -> (tensor<f32>, !weir.control)
    weir.fetch %x : tensor<f32>
  }

  // TWICE: [WEIR0356] 'again' at {{.*}}: tensor array 'weir.tensor_array' at {{.*}}: element 0 has been written already
  weir.graph @twice() {
    %n = weir.constant dense<2> : tensor<i32>
    %zero = weir.constant dense<0> : tensor<i32>
    %h, %f0, %c0 = weir.tensor_array %n {element = tensor<i32>} : (tensor<i32>) -> (!weir.resource, tensor<f32>, !weir.control)
    %f1, %c1 = weir.tensor_array_write %h, %zero, %n, %f0 : (!weir.resource, tensor<i32>, tensor<i32>, tensor<f32>) -> (tensor<f32>, !weir.control)
    %f2, %c2 = weir.tensor_array_write %h, %zero, %n, %f1 {weir.name = "again"} : (!weir.resource, tensor<i32>, tensor<i32>, tensor<f32>) -> (tensor<f32>, !weir.control)
    weir.fetch after(%c2)
  }

  // CLEARED: [WEIR0356] 'again' at {{.*}}: element 0 was given up by the read before (clear_after_read)
  weir.graph @cleared() -> (tensor<i32> {weir.name = "x"}) {
    %n = weir.constant dense<2> : tensor<i32>
    %zero = weir.constant dense<0> : tensor<i32>
    %h, %f0, %c0 = weir.tensor_array %n {element = tensor<i32>, clear_after_read} : (tensor<i32>) -> (!weir.resource, tensor<f32>, !weir.control)
    %x, %c1 = weir.tensor_array_read %h, %zero, %f0 : (!weir.resource, tensor<i32>, tensor<f32>) -> (tensor<i32>, !weir.control)
    %y, %c2 = weir.tensor_array_read %h, %zero, %f0 after(%c1) {weir.name = "again"} : (!weir.resource, tensor<i32>, tensor<f32>) -> (tensor<i32>, !weir.control)
    weir.fetch %y : tensor<i32>
  }

  // OUTSIDE: [WEIR0355] {{.*}}: index 2 to write to is outside of 0 <= i < 2
  // NEGATIVE: [WEIR0355] {{.*}}: index -1 to write to is outside of 0 <= i < 2
  weir.graph @outside(%i: tensor<i32> {weir.name = "i"}) {
    %n = weir.constant dense<2> : tensor<i32>
    %h, %f0, %c0 = weir.tensor_array %n {element = tensor<i32>} : (tensor<i32>) -> (!weir.resource, tensor<f32>, !weir.control)
    %f1, %c1 = weir.tensor_array_write %h, %i, %n, %f0 : (!weir.resource, tensor<i32>, tensor<i32>, tensor<f32>) -> (tensor<f32>, !weir.control)
    weir.fetch after(%c1)
  }

  // SHAPE: [WEIR0357] {{.*}}: the value has shape 3, but the elements have shape 2
  weir.graph @shape() {
    %n = weir.constant dense<2> : tensor<i32>
    %zero = weir.constant dense<0> : tensor<i32>
    %x = weir.constant dense<0> : tensor<3xi32>
    %h, %f0, %c0 = weir.tensor_array %n {element = tensor<2xi32>} : (tensor<i32>) -> (!weir.resource, tensor<f32>, !weir.control)
    %f1, %c1 = weir.tensor_array_write %h, %zero, %x, %f0 : (!weir.resource, tensor<i32>, tensor<3xi32>, tensor<f32>) -> (tensor<f32>, !weir.control)
    weir.fetch after(%c1)
  }

  // UNWRITTEN: [WEIR0358] {{.*}}: element 0 was never written, and zeros have no shape
  weir.graph @unwritten() -> (tensor<*xi32> {weir.name = "x"}) {
    %n = weir.constant dense<2> : tensor<i32>
    %zero = weir.constant dense<0> : tensor<i32>
    %h, %f0, %c0 = weir.tensor_array %n {element = tensor<*xi32>} : (tensor<i32>) -> (!weir.resource, tensor<f32>, !weir.control)
    %x, %c1 = weir.tensor_array_read %h, %zero, %f0 : (!weir.resource, tensor<i32>, tensor<f32>) -> (tensor<*xi32>, !weir.control)
    weir.fetch %x : tensor<*xi32>
  }

  // CLOSED: [WEIR0353] {{.*}}: tensor array 'weir.tensor_array' at {{.*}}: it has been closed
  weir.graph @closed() -> (tensor<i32> {weir.name = "n"}) {
    %n = weir.constant dense<2> : tensor<i32>
    %h, %f0, %c0 = weir.tensor_array %n {element = tensor<i32>} : (tensor<i32>) -> (!weir.resource, tensor<f32>, !weir.control)
    %c1 = weir.tensor_array_close %h : (!weir.resource) -> !weir.control
    %size, %c2 = weir.tensor_array_size %h, %f0 after(%c1) : (!weir.resource, tensor<f32>) -> (tensor<i32>, !weir.control)
    weir.fetch %size : tensor<i32>
  }
}
