# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runners beside other steps: until the data end, until told to stop, and with errors."""
import numpy as np
import pytest
import weir

GRAPH = """
weir.queue @in capacity 4 of tensor<f32>
weir.queue @out capacity 4 of tensor<f32>
weir.variable @never : tensor<f32>
weir.graph @main(%x: tensor<f32> {weir.name = "x"}) {
  %in = weir.handle @in
  %out = weir.handle @out
  %put = weir.enqueue %in, %x {weir.name = "put"} : (!weir.resource, tensor<f32>) -> !weir.control
  %end = weir.queue_close %in {weir.name = "end"} : (!weir.resource) -> !weir.control
  %v, %took = weir.dequeue %in : (!weir.resource) -> (tensor<f32>, !weir.control)
  %s = weir.square %v : (tensor<f32>) -> tensor<f32>
  %move = weir.enqueue %out, %s {weir.name = "move"} : (!weir.resource, tensor<f32>) -> !weir.control
  %close = weir.queue_close %out {weir.name = "close"} : (!weir.resource) -> !weir.control
  %got, %take = weir.dequeue %out {weir.name = "take"} : (!weir.resource) -> (tensor<f32>, !weir.control)
  %n, %read = weir.read @never {weir.name = "read"} : tensor<f32>
  weir.fetch
}
"""


@pytest.fixture
def session(tmp_path):
    path = tmp_path / "graph.mlir"
    path.write_text(GRAPH)
    return weir.Session(path)


def take_all(session, runners):
    taken = []
    while True:
        try:
            taken.append(float(session.run("take:0", coordinator=runners)))
        except weir.WeirError as error:
            assert error.status == "OUT_OF_RANGE"
            return taken


def test_runners_end_with_the_data(session):
    runners = weir.Coordinator()
    runners.start(session, ["put"], {"x": np.float32(3)}, close=["end"], steps=10)
    runners.start(session, ["move"], close=["close"], threads=2)
    assert take_all(session, runners) == [9.0] * 10
    runners.join(300)
    assert runners.step_count == 20
    assert not runners.should_stop()


def test_stopping_ends_steps_that_wait(session):
    with weir.Coordinator() as runners:
        runners.start(session, ["put"], {"x": np.float32(3)})
        runners.start(session, ["move"])
        assert session.run("take:0", coordinator=runners) == 9
    assert runners.should_stop()
    with pytest.raises(weir.WeirError, match="after the runners were told to stop"):
        runners.start(session, ["move"])


def test_the_error_of_a_runner_is_that_of_the_program(session):
    with pytest.raises(weir.WeirError, match="'never'") as caught:
        with weir.Coordinator() as runners:
            runners.start(session, ["read"])
            session.run("take:0", coordinator=runners)
    assert caught.value.status == "FAILED_PRECONDITION"


def test_a_runner_that_does_not_end_is_named(session):
    runners = weir.Coordinator()
    runners.start(session, ["move"])
    with pytest.raises(weir.WeirError, match="these runners still ran: 'move'"):
        runners.join(0.05)
    # They have been told to stop: it ends, or this is an error too.
    runners.join(300)


def test_what_is_no_runner(session):
    runners = weir.Coordinator()
    with pytest.raises(weir.WeirError, match="lists of names"):
        runners.start(session, "move")
    with pytest.raises(weir.WeirError, match="at least one thread"):
        runners.start(session, ["move"], threads=0)
    runners.join(300)
