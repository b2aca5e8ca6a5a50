# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Input pipelines in the graph: readers, decoders, examples, batching through
queues; strings."""

import io
import struct
import zlib

from plan import case, np, tf


def records(p, name, items):
    path = p.file(name)
    with tf.python_io.TFRecordWriter(path) as writer:
        for item in items:
            writer.write(item)
    return path


def example(**features):
    def feature(value):
        if isinstance(value[0], bytes):
            return tf.train.Feature(bytes_list=tf.train.BytesList(value=value))
        if isinstance(value[0], float):
            return tf.train.Feature(float_list=tf.train.FloatList(value=value))
        return tf.train.Feature(int64_list=tf.train.Int64List(value=value))

    return tf.train.Example(features=tf.train.Features(feature={k: feature(v) for k, v in features.items()})).SerializeToString()


def png(image, color):
    """The bytes of a PNG file of an array of u8."""
    height, width = image.shape[:2]
    rows = b"".join(b"\0" + image[y].tobytes() for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, color, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def read_all(p, reader, paths, times):
    files = tf.FIFOQueue(10, [tf.string], shapes=[[]])
    value = reader.read(files)
    p.run([], targets=[files.enqueue_many([paths])])
    p.run([], targets=[files.close()])
    p.runs(times, value.value)
    p.run(value.value, error="OutOfRange")
    return value


@case
def tfrecord_reader(p):
    reader = tf.TFRecordReader()
    paths = [records(p, "a", [b"one", b"", b"three" * 50]), records(p, "b", [b"four"])]
    read_all(p, reader, paths, 4)
    p.run([reader.num_records_produced(), reader.num_work_units_completed()])


@case
def tfrecord_that_is_damaged(p):
    path = records(p, "a", [b"first", b"second"])
    data = bytearray(open(path, "rb").read())
    data[-6] ^= 1
    path = p.file("b", bytes(data))
    files = tf.FIFOQueue(10, [tf.string], shapes=[[]])
    value = tf.TFRecordReader().read(files).value
    p.run([], targets=[files.enqueue_many([[path]])])
    p.run(value)
    p.run(value, error="DataLoss")


@case
def tfrecord_that_ends_early(p):
    path = records(p, "a", [b"first", b"second"])
    path = p.file("b", open(path, "rb").read()[:-3])
    files = tf.FIFOQueue(10, [tf.string], shapes=[[]])
    value = tf.TFRecordReader().read(files).value
    p.run([], targets=[files.enqueue_many([[path]])])
    p.run(value)
    p.run(value, error="DataLoss")


@case
def text_line_reader(p):
    paths = [p.file("a", b"first\nsecond\r\n\nlast"), p.file("b", b"alone\n")]
    read_all(p, tf.TextLineReader(), paths, 5)


@case
def text_line_reader_skips_a_header(p):
    read_all(p, tf.TextLineReader(skip_header_lines=1), [p.file("a", b"header\n1\n2\n")], 2)


@case
def fixed_length_reader(p):
    data = b"HH" + b"abcd" * 2 + b"wxyz" + b"F"
    read_all(p, tf.FixedLengthRecordReader(record_bytes=4, header_bytes=2, footer_bytes=1), [p.file("a", data)], 3)


@case
def whole_file_reader(p):
    read_all(p, tf.WholeFileReader(), [p.file("a", b"all of it\x00\n"), p.file("b", b"")], 2)


@case
def identity_reader(p):
    read_all(p, tf.IdentityReader(), ["x", "yy"], 2)


@case
def reader_up_to(p):
    path = records(p, "a", [b"1", b"2", b"3"])
    files = tf.FIFOQueue(10, [tf.string], shapes=[[]])
    out = tf.TFRecordReader().read_up_to(files, 2)
    p.run([], targets=[files.enqueue_many([[path]])])
    p.run([], targets=[files.close()])
    p.run(out.values)
    p.run(out.values)
    p.run(out.values, error="OutOfRange")


@case
def reader_reset(p):
    path = records(p, "a", [b"1", b"2"])
    files = tf.FIFOQueue(10, [tf.string], shapes=[[]])
    reader = tf.TFRecordReader()
    value = reader.read(files).value
    p.run([], targets=[files.enqueue_many([[path, path]])])
    p.run(value)
    p.run([], targets=[reader.reset()])
    p.run(reader.num_records_produced())
    p.run(value)


@case
def reader_of_a_missing_file(p):
    files = tf.FIFOQueue(10, [tf.string], shapes=[[]])
    value = tf.TFRecordReader().read(files).value
    p.run([], targets=[files.enqueue_many([[p.file("a") + ".missing"]])])
    p.run(value, error="NotFound")


@case
def read_file(p):
    path = p.file("a", b"contents\x00\xff")
    x = tf.placeholder(tf.string, [])
    p.run(tf.read_file(x), {x: path})
    p.run(tf.read_file(x), {x: path + ".missing"}, error="NotFound")


@case
def matching_files(p):
    for name in ("part-1", "part-2", "other"):
        p.file(name, b"x")
    folder = p.folder
    names = tf.matching_files(folder + "/part-*")
    p.run(tf.shape(names))
    p.run(names)


@case(params=[tf.uint8, tf.int16, tf.int32, tf.int64, tf.float32, tf.float64, tf.int8])
def decode_raw(p, dtype):
    values = np.array([1, 2, 100], dtype.as_numpy_dtype)
    x = tf.placeholder(tf.string, [None])
    p.run(tf.decode_raw(x, dtype), {x: [values.tobytes(), values[::-1].tobytes()]})


@case
def decode_raw_big_endian(p):
    p.run(tf.decode_raw(tf.constant([b"\x00\x01\x01\x00"]), tf.int16, little_endian=False))


@case
def decode_raw_of_a_bad_length(p):
    x = tf.placeholder(tf.string, [None])
    p.run(tf.decode_raw(x, tf.int32), {x: [b"abc"]}, error="InvalidArgument")
    p.run(tf.decode_raw(x, tf.uint8), {x: [b"abc", b"ab"]}, error="InvalidArgument")


@case
def decode_csv(p):
    x = tf.placeholder(tf.string, [None])
    out = tf.decode_csv(x, [[1], [0.5], ["none"], tf.constant([], tf.int64)])
    p.run(out, {x: ["1,2.5,abc,4", ",,,5", '7,1e3,"quoted, ""text""",-6']})


@case
def decode_csv_other_delimiter(p):
    x = tf.placeholder(tf.string, [])
    p.run(tf.decode_csv(x, [[0], [0.0]], field_delim="\t", na_value="NA"), {x: "3\tNA"})


@case(params=["too few", "too many", "no number", "no default"])
def decode_csv_errors(p, what):
    x = tf.placeholder(tf.string, [None])
    out = tf.decode_csv(x, [tf.constant([], tf.int32), [0.0]])
    line = {"too few": "1", "too many": "1,2,3", "no number": "a,2", "no default": ",2"}[what]
    p.run(out, {x: [line]}, error="InvalidArgument")
    p.run(out, {x: ["1,2"]})


@case
def parse_example(p):
    x = tf.placeholder(tf.string, [None])
    spec = {
        "a": tf.FixedLenFeature([2], tf.float32),
        "b": tf.FixedLenFeature([], tf.int64, default_value=-1),
        "c": tf.FixedLenFeature([1], tf.string, default_value=[b"none"]),
    }
    out = tf.parse_example(x, spec)
    data = [example(a=[1.0, 2.0], b=[7], c=[b"text"]), example(a=[3.0, 4.5])]
    p.run([out[k] for k in "abc"], {x: data})


@case
def parse_single_example(p):
    x = tf.placeholder(tf.string, [])
    out = tf.parse_single_example(x, {"a": tf.FixedLenFeature([2, 2], tf.int64), "n": tf.FixedLenFeature([], tf.string)})
    p.run([out["a"], out["n"]], {x: example(a=[1, 2, 3, 4], n=[b"\x00raw"])})


@case(params=["missing", "wrong type", "wrong size", "no example"])
def parse_example_errors(p, what):
    x = tf.placeholder(tf.string, [None])
    out = tf.parse_example(x, {"a": tf.FixedLenFeature([2], tf.float32)})
    data = {"missing": example(b=[1]), "wrong type": example(a=[1, 2]), "wrong size": example(a=[1.0]), "no example": b"\x0a\xff\xff"}[what]
    p.run(out["a"], {x: [data]}, error="InvalidArgument")


@case(params=[(1, 0), (3, 2), (4, 6), (0, 2), (0, 0), (3, 6), (1, 2), (3, 0)])
def decode_png(p, channels, color):
    depth = {0: 1, 2: 3, 6: 4}[color]
    image = p.rng.integers(0, 256, (3, 4, depth)).astype(np.uint8)
    x = tf.placeholder(tf.string, [])
    out = tf.image.decode_png(x, channels=channels)
    p.run(out, {x: png(image, color)})


@case
def decode_png_that_is_none(p):
    x = tf.placeholder(tf.string, [])
    p.run(tf.image.decode_png(x), {x: b"no image"}, error="InvalidArgument")


@case
def decode_png_cut_short(p):
    x = tf.placeholder(tf.string, [])
    p.run(tf.image.decode_png(x), {x: png(np.zeros((9, 9, 3), np.uint8), 2)[:60]}, error="InvalidArgument")


@case
def images_as_floats(p):
    image = p.rng.integers(0, 256, (4, 4, 3)).astype(np.uint8)
    x = tf.placeholder(tf.string, [])
    out = tf.cast(tf.image.decode_png(x, channels=3), tf.float32) * (1.0 / 255.0)
    p.run(tf.reduce_max(out, axis=[0, 1]), {x: png(image, 2)})


@case
def records_to_batches(p):
    path = records(p, "a", [example(x=[float(k), k * 0.5], y=[k]) for k in range(5)])
    files = tf.FIFOQueue(10, [tf.string], shapes=[[]])
    _, value = tf.TFRecordReader().read(files)
    one = tf.parse_single_example(value, {"x": tf.FixedLenFeature([2], tf.float32), "y": tf.FixedLenFeature([], tf.int64)})
    batches = tf.FIFOQueue(20, [tf.float32, tf.int64], shapes=[[2], []])
    move = batches.enqueue([one["x"], one["y"]])
    p.run([], targets=[files.enqueue_many([[path]])])
    p.run([], targets=[files.close()])
    for _ in range(5):
        p.run([], targets=[move])
    p.run([], targets=[move], error="OutOfRange")
    p.run([], targets=[batches.close()])
    p.run(batches.dequeue_many(3))
    p.run(batches.dequeue_up_to(3))
    p.run(batches.dequeue_up_to(3), error="OutOfRange")


@case
def lines_shuffled_into_batches(p):
    path = p.file("a", b"".join(b"%d,%d\n" % (k, k * k) for k in range(8)))
    files = tf.FIFOQueue(10, [tf.string], shapes=[[]])
    _, line = tf.TextLineReader().read(files)
    a, b = tf.decode_csv(line, [[0], [0]])
    shuffled = tf.RandomShuffleQueue(20, 2, [tf.int32, tf.int32], shapes=[[], []], seed=5)
    move = shuffled.enqueue([a, b])
    p.run([], targets=[files.enqueue_many([[path]])])
    for _ in range(8):
        p.run([], targets=[move])
    p.run([], targets=[shuffled.close()])
    x, y = shuffled.dequeue_many(8)
    p.run([tf.reduce_sum(x), tf.reduce_sum(tf.abs(y - x * x))])


@case
def string_join(p):
    x = tf.placeholder(tf.string, [2])
    p.run([tf.string_join([x, "-", x]), tf.string_join([x, x], separator=", ")], {x: ["a", b"\xff"]})


@case
def string_join_shapes_disagree(p):
    x, y = tf.placeholder(tf.string), tf.placeholder(tf.string)
    out = tf.string_join([x, y])
    p.run(out, {x: ["a", "b"], y: "c"})
    p.run(out, {x: ["a", "b"], y: ["c"]}, error="InvalidArgument")


@case(params=[tf.int32, tf.int64, tf.bool])
def as_string(p, dtype):
    x = tf.placeholder(dtype, [3])
    p.run(tf.as_string(x), {x: [0, 1, 1 if dtype == tf.bool else -12345]})


@case(params=[tf.float32, tf.float64])
def as_string_of_floats(p, dtype):
    x = tf.placeholder(dtype, [3])
    p.run(tf.as_string(x), {x: [0.5, -1.25, 1e10]})


@case(params=[tf.float32, tf.float64, tf.int32, tf.int64])
def string_to_number(p, dtype):
    x = tf.placeholder(tf.string, [None])
    out = tf.string_to_number(x, dtype)
    p.run(out, {x: ["1", "-20", "007"]})
    p.run(out, {x: ["1x"]}, error="InvalidArgument")
    p.run(out, {x: [""]}, error="InvalidArgument")


@case
def string_equality(p):
    x = tf.placeholder(tf.string, [2])
    p.run([tf.equal(x, ["a", "b"]), tf.not_equal(x, "a")], {x: ["a", "c"]})


@case
def string_moves(p):
    x = tf.placeholder(tf.string, [2, 2])
    p.run([tf.reshape(x, [4]), tf.transpose(x), x[1], tf.concat([x, x], 0), tf.gather(x, [1, 0])], {x: [["a", "b"], ["c", ""]]})


@case
def npy_by_raw_bytes(p):
    buffer = io.BytesIO()
    np.save(buffer, p.ints(3))
    path = p.file("a.npy", buffer.getvalue())
    body = tf.decode_raw(tf.read_file(path), tf.uint8)
    p.run(body[:6])


@case
def checkpoint_save_and_restore(p):
    v = tf.Variable([1.0, 2.0], use_resource=True, name="v")
    w = tf.Variable([[3, 4]], use_resource=False, name="w")
    saver = tf.train.Saver([v, w])
    prefix = p.file("model") + "-1"
    filename = saver.saver_def.filename_tensor_name
    save, restore = saver.saver_def.save_tensor_name, saver.saver_def.restore_op_name
    p.run([], targets=[v.initializer, w.initializer])
    p.run([], {filename: np.array(prefix, object)}, targets=[save.split(":")[0]])
    p.run([], targets=[v.assign([9.0, 9.0]).op, tf.assign(w, [[0, 0]]).op])
    p.run([], {filename: np.array(prefix, object)}, targets=[restore])
    p.run([v, w])
