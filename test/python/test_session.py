# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Partial execution: any feeds, fetches and targets, compiled and interpreted."""
import signal
import threading

import numpy as np
import pytest
import weir

GRAPH = """
weir.variable @n : tensor<f32>
weir.queue @q capacity 4 of tensor<f32>
weir.graph @main(%x: tensor<f32> {weir.name = "x"}) -> (tensor<f32> {weir.name = "y"}) {
  %one = weir.constant dense<1.0> : tensor<f32>
  %a = weir.add %x, %one {weir.name = "a"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %y = weir.mul %a, %a {weir.name = "product"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %init = weir.assign @n, %one {weir.name = "init"} : tensor<f32>
  %count = weir.assign_add @n, %one {weir.name = "count"} : tensor<f32>
  %n, %read = weir.read @n {weir.name = "n"} : tensor<f32>
  %h = weir.handle @q
  %put = weir.enqueue %h, %x {weir.name = "put"} : (!weir.resource, tensor<f32>) -> !weir.control
  %got, %take = weir.dequeue %h {weir.name = "take"} : (!weir.resource) -> (tensor<f32>, !weir.control)
  %closed = weir.queue_close %h {weir.name = "close"} : (!weir.resource) -> !weir.control
  weir.fetch %y : tensor<f32>
}
"""

PBTXT = b"""
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { } } } }
node { name: "p" op: "Placeholder" attr { key: "dtype" value { type: DT_BOOL } } attr { key: "shape" value { shape { } } } }
node { name: "s" op: "Switch" input: "x" input: "p" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "neg" op: "Neg" input: "s" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "m" op: "Merge" input: "neg" input: "s:1" attr { key: "T" value { type: DT_FLOAT } } attr { key: "N" value { i: 2 } } }
"""


@pytest.fixture(params=["compiled", "dataflow", "interpreted"])
def session(request, tmp_path):
    path = tmp_path / "graph.mlir"
    path.write_text(GRAPH)
    return weir.Session(path, interpret=request.param == "interpreted",
                        executor="tasks" if request.param == "dataflow" else "")


def test_fetches_have_the_form_asked_for(session):
    assert session.run("y", {"x": np.float32(2)}) == 9
    assert session.run(["a:0", "y"], {"x": np.float32(2)}) == [3, 9]
    assert session.run({"sum": "a"}, {"x": np.float32(2)}) == {"sum": 3}


def test_an_inner_value_is_fed_and_cuts_the_graph(session):
    assert session.run("y", {"a:0": np.float32(5)}) == 25


def test_what_is_fetched_may_be_fed(session):
    assert session.run("a:0", {"a:0": np.float32(5)}) == 5


def test_a_missing_feed_is_named(session):
    with pytest.raises(weir.WeirError, match="needs feed 'x'"):
        session.run("y")


def test_an_unknown_name_gets_a_suggestion(session):
    with pytest.raises(weir.WeirError, match="did you mean 'product'"):
        session.run("prodct:0")


def test_programs_share_the_state(session):
    with pytest.raises(weir.WeirError, match="'n'") as caught:
        session.run("n:0")
    assert caught.value.status == "FAILED_PRECONDITION"
    session.run(targets=["init"])
    for _ in range(3):
        session.run(targets=["count"])
    assert session.run("n:0") == 4
    assert session.program_count == 3


def test_the_order_of_feeds_makes_no_program(session):
    one = session.run("product:0", {"a:0": np.float32(2), "x": np.float32(3)})
    count = session.program_count
    assert session.run("product:0", {"x": np.float32(3), "a:0": np.float32(2)}) == one
    assert session.program_count == count


def test_a_queue_joins_steps_and_ends(session):
    for value in (1, 2):
        session.run(targets=["put"], feed_dict={"x": np.float32(value)})
    session.run(targets=["close"])
    assert [session.run("take:0") for _ in range(2)] == [1, 2]
    with pytest.raises(weir.WeirError) as caught:
        session.run("take:0")
    assert caught.value.status == "OUT_OF_RANGE"


def test_a_step_that_waits_ends_at_its_deadline_and_loses_nothing(session):
    with pytest.raises(weir.WeirError) as caught:
        session.run("take:0", timeout=0.05)
    assert caught.value.status == "DEADLINE_EXCEEDED"
    session.run(targets=["put"], feed_dict={"x": np.float32(3)})
    assert session.run("take:0") == 3


def test_a_waiting_step_is_woken_by_another(tmp_path):
    path = tmp_path / "graph.mlir"
    path.write_text(GRAPH)
    session = weir.Session(path)
    taken = []
    waiter = threading.Thread(target=lambda: taken.append(session.run("take:0", timeout=300)))
    waiter.start()
    session.run(targets=["put"], feed_dict={"x": np.float32(7)})
    waiter.join(300)
    assert taken == [7]


def test_a_callable_runs_one_step(session):
    step = session.make_callable("y", ["x"])
    assert [step(np.float32(x)) for x in range(3)] == [1, 4, 9]
    with pytest.raises(weir.WeirError, match="2 values were given"):
        step(1, 2)


def test_a_partial_run_is_fed_and_fetched_in_turn(session):
    session.run(targets=["init"])
    with session.partial_run(["a:0", "n:0"], {"x": None}) as run:
        assert run.run("n:0") == 1
        assert run.run("a:0", {"x": np.float32(1)}) == 2
        with pytest.raises(weir.WeirError, match="WEIR0329"):
            run.run("y")


def test_a_graph_def_takes_either_branch():
    for interpret in (False, True):
        session = weir.Session(PBTXT, interpret=interpret)
        assert session.run("m:0", {"x:0": np.float32(3), "p:0": np.bool_(True)}) == 3
        assert session.run(["m:0", "m:1"], {"x:0": np.float32(3), "p:0": np.bool_(False)}) == [-3, 0]
        with pytest.raises(weir.WeirError, match="WEIR0334"):
            session.run("neg:0", {"x:0": np.float32(3), "p:0": np.bool_(True)})


def test_what_is_no_graph_is_refused():
    with pytest.raises(weir.WeirError, match="takes a path, a GraphDef or a program, got a int"):
        weir.Session(3)
    with pytest.raises(weir.WeirError, match="WEIR02"):
        weir.Session(b"node { name: ")


LOOP = """
weir.variable @w : tensor<i32>
weir.graph @main(%x: tensor<i32> {weir.name = "x"}) -> (tensor<i32> {weir.name = "y"}) {
  %zero = weir.constant dense<0> : tensor<i32>
  %init = weir.assign @w, %zero {weir.name = "init"} : tensor<i32>
  %w, %r = weir.read @w {weir.name = "w"} : tensor<i32>
  %a = weir.assign_add @w, %x {weir.name = "count"} : tensor<i32>
  %e, %ec = weir.enter %x after(%a) {frame = "loop"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %z, %zc = weir.enter %zero {frame = "loop", is_constant} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %m, %mi, %mc = weir.merge %e, %n : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %p = weir.compare %m, %z {predicate = #weir.compare<gt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %k, %kc = weir.loop_cond %p : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %f, %t, %sc = weir.switch %m, %k : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %s = weir.mul %t, %t : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %n, %nc = weir.next_iteration %s : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %y, %yc = weir.exit %f : (tensor<i32>) -> (tensor<i32>, !weir.control)
  weir.fetch %y : tensor<i32>
}
"""


def test_a_deadline_ends_a_raised_loop_and_its_step_changes_no_variable(tmp_path):
    path = tmp_path / "loop.mlir"
    path.write_text(LOOP)
    session = weir.Session(path)
    session.run(targets=["init"])
    assert session.run("y", {"x": np.int32(-3)}) == -3
    with pytest.raises(weir.WeirError, match="it was in a loop") as caught:
        session.run("y", {"x": np.int32(1)}, timeout=0.05)
    assert caught.value.status == "DEADLINE_EXCEEDED"
    assert session.run("w:0") == -3


@pytest.fixture(params=[True, False], ids=["raised", "dataflow"])
def endless(request, tmp_path):
    """An interpreted session whose step never ends for x = 1."""
    path = tmp_path / "loop.mlir"
    path.write_text(LOOP)
    session = weir.Session(path, interpret=True, raise_control_flow=request.param)
    session.run(targets=["init"])
    return session


def test_a_deadline_ends_an_interpreted_step(endless):
    with pytest.raises(weir.WeirError, match="WEIR0323.*by its deadline") as caught:
        endless.run("y", {"x": np.int32(1)}, timeout=0.05)
    assert caught.value.status == "DEADLINE_EXCEEDED"
    assert endless.run("y", {"x": np.int32(-3)}) == -3


def test_a_coordinator_ends_an_interpreted_step(endless):
    coordinator = weir.Coordinator()
    timer = threading.Timer(0.1, coordinator.request_stop, ["enough"])
    timer.start()
    with pytest.raises(weir.WeirError, match="WEIR0323.*was cancelled: enough") as caught:
        endless.run("y", {"x": np.int32(1)}, coordinator=coordinator)
    timer.join()
    assert caught.value.status == "CANCELLED"
    assert endless.run("y", {"x": np.int32(-3)}) == -3


def test_an_interrupt_ends_an_interpreted_step(endless):
    main = threading.main_thread().ident
    timer = threading.Timer(0.2, signal.pthread_kill, [main, signal.SIGINT])
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        endless.run("y", {"x": np.int32(1)})
    timer.join()
    assert endless.run("y", {"x": np.int32(-3)}) == -3


def test_a_partial_run_can_be_interrupted_too(endless):
    with pytest.raises(weir.WeirError, match="WEIR0323"):
        with endless.partial_run(["y"], {"x": None}, timeout=0.05) as run:
            run.run("y", {"x": np.int32(1)})


SPREAD = """
weir.graph @main(%x: tensor<f32> {weir.name = "x"}) -> (tensor<f32> {weir.name = "y"}) {
  %a = weir.exp %x {weir.name = "a"} : (tensor<f32>) -> tensor<f32>
  %y = weir.neg %a {weir.device = "/device:CPU:1"} : (tensor<f32>) -> tensor<f32>
  weir.fetch %y : tensor<f32>
}
"""


def test_a_partial_run_is_for_one_device(tmp_path):
    path = tmp_path / "spread.mlir"
    path.write_text(SPREAD)
    weir.set_devices(["CPU:0", "CPU:1"])
    try:
        session = weir.Session(path)
        assert session.run("y", {"x": np.float32(0)}) == -1
        with pytest.raises(weir.WeirError, match="WEIR0322.*is spread over 2 devices, and runs as a whole") as caught:
            session.partial_run(["y"], {"x": None})
        assert caught.value.status == "UNIMPLEMENTED"
        # What it needs of one device alone is no reason.
        with session.partial_run(["a:0"], {"x": None}) as run:
            assert run.run("a:0", {"x": np.float32(0)}) == 1
    finally:
        weir.set_devices()
