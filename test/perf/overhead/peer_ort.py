# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime: null step (scalar add) through its Python session."""
import numpy as np
import onnxruntime as ort
from onnx import TensorProto as T, helper as h
from timing import per_call

m = h.make_model(h.make_graph([h.make_node("Add", ["x", "x"], ["y"])], "g", [h.make_tensor_value_info("x", T.FLOAT, [])],
                              [h.make_tensor_value_info("y", T.FLOAT, [])]), opset_imports=[h.make_opsetid("", 17)], ir_version=9)
s = ort.InferenceSession(m.SerializeToString(), providers=["CPUExecutionProvider"])
x = {"x": np.array(1, np.float32)}
per_call("onnxruntime", "null step", lambda: s.run(None, x))
