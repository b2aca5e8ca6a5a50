//===- Image.cpp - PNG and JPEG images ------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// libpng and libjpeg leave on an error by longjmp. Each decoder is therefore
// two functions: an outer one that owns what has a destructor, and an inner one
// that sets the jump, calls the library and has nothing to destroy.
//
// What a file does not say, or says in more channels than asked for, becomes
// what TensorFlow makes of it, pixel by pixel.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Checked.h"
#include "runtime/base/Format.h"
#include "runtime/input/Decode.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio> // jpeglib.h needs FILE.
#include <cstring>
#include <vector>

#include <jerror.h>
#include <jpeglib.h>
#include <png.h>

using namespace weir::rt;

// Stands for `stderr` in the libraries (CMakeLists.txt), which write nothing:
// their messages go into errors.
extern "C" {
__attribute__((visibility("hidden"))) FILE *weir_image_stderr = stderr;
}

/// TensorFlow's limit on the elements of an image.
constexpr int64_t kMaxElements = (int64_t(1) << 29) - 1;

static Status bad(const char *format, const std::string &what) {
  return Status(WEIR_INVALID_ARGUMENT, str("[WEIR0363] the ", format,
                                           " image cannot be decoded: ", what));
}

static Status makeImage(const char *format, int64_t height, int64_t width,
                        int64_t channels, TensorRef &image) {
  int64_t dims[] = {height, width, channels}, count;
  if (!checkedCount(dims, 3, count) || count > kMaxElements)
    return bad(format, str("it has ", height, " x ", width, " x ", channels,
                           " elements; at most 2^29 - 1 are read"));
  return createTensor(WEIR_U8, 3, dims, image);
}

namespace {

struct PngState {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string_view bytes;
  size_t at = 0;
  int channels = 0;
  png_uint_32 width = 0, height = 0;
  /// What libpng complained about.
  char message[128] = "";
};

} // namespace

static void onPngError(png_structp png, png_const_charp message) {
  PngState *state = static_cast<PngState *>(png_get_error_ptr(png));
  snprintf(state->message, sizeof(state->message), "%s", message);
  png_longjmp(png, 1);
}

static void onPngWarning(png_structp, png_const_charp) {}

static void readPng(png_structp png, png_bytep data, size_t count) {
  PngState *state = static_cast<PngState *>(png_get_io_ptr(png));
  if (count > state->bytes.size() - state->at)
    png_error(png, "it is cut short");
  std::memcpy(data, state->bytes.data() + state->at, count);
  state->at += count;
}

/// Reads the header and asks for the conversions that make `state.channels`
/// channels of 8 bits. False with an error in `state`.
static bool beginPng(PngState &state) {
  if (setjmp(png_jmpbuf(state.png)))
    return false;
  png_structp png = state.png;
  png_infop info = state.info;
  png_set_read_fn(png, &state, readPng);
  png_read_info(png, info);
  state.width = png_get_image_width(png, info);
  state.height = png_get_image_height(png, info);
  int depth = png_get_bit_depth(png, info);
  int color = png_get_color_type(png, info);
  bool transparent = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  bool alpha = (color & PNG_COLOR_MASK_ALPHA) != 0;
  bool gray = !(color & PNG_COLOR_MASK_COLOR);
  if (state.channels == 0)
    state.channels = color == PNG_COLOR_TYPE_PALETTE
                         ? (transparent ? 4 : 3)
                         : png_get_channels(png, info);
  if (state.channels % 2 == 0) {
    if (!alpha && transparent)
      png_set_tRNS_to_alpha(png);
    else if (!alpha)
      png_set_add_alpha(png, (1u << depth) - 1, PNG_FILLER_AFTER);
  } else if (alpha || transparent) {
    png_set_strip_alpha(png);
  }
  if (depth > 8)
    png_set_strip_16(png);
  png_set_packing(png);
  png_set_interlace_handling(png);
  if (color == PNG_COLOR_TYPE_PALETTE)
    png_set_palette_to_rgb(png);
  if (gray && depth < 8)
    png_set_expand_gray_1_2_4_to_8(png);
  if (state.channels < 3 && !gray)
    png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, 0.299, 0.587);
  if (state.channels >= 3 && gray)
    png_set_gray_to_rgb(png);
  png_read_update_info(png, info);
  return true;
}

static bool readPngRows(PngState &state, png_bytep *rows) {
  if (setjmp(png_jmpbuf(state.png)))
    return false;
  png_read_image(state.png, rows);
  png_read_end(state.png, nullptr);
  return true;
}

static Status decodePng(PngState &state, TensorRef &image) {
  constexpr const char *kFormat = "PNG";
  state.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &state, onPngError,
                                     onPngWarning);
  if (state.png)
    state.info = png_create_info_struct(state.png);
  if (!state.info)
    return Status(WEIR_RESOURCE_EXHAUSTED,
                  "[WEIR0363] no memory to decode a PNG image");
  if (!beginPng(state))
    return bad(kFormat, state.message);
  int64_t rowBytes = state.channels * static_cast<int64_t>(state.width);
  if (png_get_rowbytes(state.png, state.info) != static_cast<size_t>(rowBytes))
    return bad(kFormat,
               str("its rows do not convert to ", state.channels, " channels"));
  // A row has at least a bit for each pixel, and no deflated byte holds more
  // than 1032: a header that promises more than there can be is not believed.
  int64_t most = 1032 * (static_cast<int64_t>(state.bytes.size()) + 8);
  if (static_cast<int64_t>(state.height) *
          ((static_cast<int64_t>(state.width) + 7) / 8) >
      most)
    return bad(kFormat, str("its header promises ", state.height, " x ",
                            state.width, " pixels, more than its ",
                            state.bytes.size(), " bytes can hold"));
  TensorRef made;
  WEIR_RETURN_IF_ERROR(
      makeImage(kFormat, state.height, state.width, state.channels, made));
  png_bytep data = static_cast<png_bytep>(made.get()->data);
  std::vector<png_bytep> rows(state.height);
  for (size_t y = 0; y < rows.size(); ++y)
    rows[y] = data + y * static_cast<size_t>(rowBytes);
  if (!readPngRows(state, rows.data()))
    return bad(kFormat, state.message);
  image = std::move(made);
  return Status();
}

namespace {

struct JpegErrors {
  jpeg_error_mgr base;
  jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

struct JpegState {
  jpeg_decompress_struct codec;
  JpegErrors errors;
  jpeg_source_mgr source;
  jpeg_progress_mgr progress;
  int channels;
  bool cmyk;
};

} // namespace

[[noreturn]] static void onJpegError(j_common_ptr codec) {
  JpegErrors *errors = reinterpret_cast<JpegErrors *>(codec->err);
  errors->base.format_message(codec, errors->message);
  longjmp(errors->jump, 1);
}

/// Level -1 is a warning. Some mean that pixels are made up: those are errors.
static void onJpegMessage(j_common_ptr codec, int level) {
  if (level >= 0)
    return;
  switch (codec->err->msg_code) {
  case JWRN_HIT_MARKER:
  case JWRN_HUFF_BAD_CODE:
  case JWRN_JPEG_EOF:
    onJpegError(codec);
  default:
    break;
  }
}

/// A progressive image may have any number of scans, each over all of it, in a
/// few bytes; real ones have some tens.
static void onJpegProgress(j_common_ptr codec) {
  if (reinterpret_cast<j_decompress_ptr>(codec)->input_scan_number > 500)
    ERREXIT(codec, JERR_EOI_EXPECTED);
}

static void ignoreJpegSource(j_decompress_ptr) {}

static boolean endOfJpeg(j_decompress_ptr codec) {
  ERREXIT(codec, JERR_INPUT_EOF);
  return FALSE;
}

static void skipJpeg(j_decompress_ptr codec, long count) {
  if (count <= 0)
    return;
  if (static_cast<size_t>(count) > codec->src->bytes_in_buffer)
    ERREXIT(codec, JERR_INPUT_EOF);
  codec->src->next_input_byte += count;
  codec->src->bytes_in_buffer -= static_cast<size_t>(count);
}

/// Reads the header and chooses the output. False with an error in the state.
static bool beginJpeg(JpegState &state, std::string_view bytes) {
  jpeg_decompress_struct &codec = state.codec;
  codec.err = jpeg_std_error(&state.errors.base);
  state.errors.base.error_exit = onJpegError;
  state.errors.base.emit_message = onJpegMessage;
  state.errors.message[0] = 0;
  if (setjmp(state.errors.jump))
    return false;
  jpeg_create_decompress(&codec);
  state.source = {};
  state.source.next_input_byte = reinterpret_cast<const JOCTET *>(bytes.data());
  state.source.bytes_in_buffer = bytes.size();
  state.source.init_source = ignoreJpegSource;
  state.source.fill_input_buffer = endOfJpeg;
  state.source.skip_input_data = skipJpeg;
  state.source.resync_to_restart = jpeg_resync_to_restart;
  state.source.term_source = ignoreJpegSource;
  codec.src = &state.source;
  state.progress.progress_monitor = onJpegProgress;
  codec.progress = &state.progress;
  jpeg_read_header(&codec, TRUE);
  if (state.channels == 0)
    state.channels = std::min(codec.num_components, 3);
  state.cmyk = state.channels == 3 && (codec.jpeg_color_space == JCS_CMYK ||
                                       codec.jpeg_color_space == JCS_YCCK);
  codec.out_color_space = state.cmyk            ? JCS_CMYK
                          : state.channels == 1 ? JCS_GRAYSCALE
                                                : JCS_RGB;
  // TensorFlow's choice: faster, and at most a few units off.
  codec.dct_method = JDCT_IFAST;
  jpeg_calc_output_dimensions(&codec);
  return true;
}

/// Ink to light, in place of the four bytes three.
static void convertCmyk(const JSAMPLE *from, JSAMPLE *to, int64_t width,
                        bool inverted) {
  for (int64_t x = 0; x < width; ++x, from += 4, to += 3)
    for (int c = 0; c < 3; ++c)
      to[c] = static_cast<JSAMPLE>(inverted ? from[3] * from[c] / 255
                                            : (255 - from[3]) *
                                                  (255 - from[c]) / 255);
}

/// `row` has room for a line of CMYK, or is null.
static bool readJpegRows(JpegState &state, JSAMPLE *data, JSAMPLE *row) {
  jpeg_decompress_struct &codec = state.codec;
  if (setjmp(state.errors.jump))
    return false;
  jpeg_start_decompress(&codec);
  while (codec.output_scanline < codec.output_height) {
    JSAMPLE *line = data + static_cast<size_t>(codec.output_scanline) *
                               codec.output_width *
                               static_cast<size_t>(state.channels);
    JSAMPROW target = row ? row : line;
    // A source that never suspends gives a line each time.
    jpeg_read_scanlines(&codec, &target, 1);
    if (row)
      convertCmyk(row, line, codec.output_width, codec.saw_Adobe_marker);
  }
  jpeg_finish_decompress(&codec);
  return true;
}

static Status decodeJpeg(JpegState &state, std::string_view bytes,
                         TensorRef &image) {
  constexpr const char *kFormat = "JPEG";
  if (!beginJpeg(state, bytes))
    return bad(kFormat, state.errors.message);
  int64_t width = state.codec.output_width, height = state.codec.output_height;
  TensorRef made;
  WEIR_RETURN_IF_ERROR(makeImage(kFormat, height, width, state.channels, made));
  std::vector<JSAMPLE> row(state.cmyk ? static_cast<size_t>(4 * width) : 0);
  if (!readJpegRows(state, static_cast<JSAMPLE *>(made.get()->data),
                    state.cmyk ? row.data() : nullptr))
    return bad(kFormat, state.errors.message);
  image = std::move(made);
  return Status();
}

Status weir::rt::decodeImage(std::string_view bytes, int64_t channels,
                             TensorRef &image) {
  bool isPng = bytes.substr(0, 8) == "\x89PNG\r\n\x1a\n";
  bool isJpeg = bytes.substr(0, 3) == "\xff\xd8\xff";
  if (!isPng && !isJpeg)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0363] ", bytes.size(),
                      " bytes do not begin as a PNG or JPEG image"));
  bool possible = channels == 0 || channels == 1 || channels == 3 ||
                  (isPng && channels == 4);
  if (!possible)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0363] a ", isPng ? "PNG" : "JPEG",
                      " image is not decoded to ", channels, " channels; ",
                      isPng ? "0, 1, 3 and 4" : "0, 1 and 3", " are possible"));
  if (isPng) {
    PngState state;
    state.bytes = bytes;
    state.channels = static_cast<int>(channels);
    Status status = decodePng(state, image);
    png_destroy_read_struct(&state.png, &state.info, nullptr);
    return status;
  }
  JpegState state = {};
  state.channels = static_cast<int>(channels);
  Status status = decodeJpeg(state, bytes, image);
  jpeg_destroy_decompress(&state.codec);
  return status;
}
