//===- ShapeCases.cpp - Conformance cases: tensors, images, uniforms
//-------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands in the parameter block beside addresses: offsets, layout tables,
// widths and heights.
//
//===----------------------------------------------------------------------===//
#include "Fixture.h"

#include <cstring>

using namespace goldy::cts;

static std::vector<uint32_t> iota(size_t N, uint32_t First) {
  std::vector<uint32_t> Out(N);
  for (size_t I = 0; I < N; ++I)
    Out[I] = First + static_cast<uint32_t>(I);
  return Out;
}

/// Where element `I` of a view lies in its parent.
static uint64_t place(const goldy_tensor_view_t &V, uint64_t I) {
  uint64_t At = V.offset;
  for (uint32_t A = V.rank; A-- > 0; I /= V.shape[A])
    At += I % V.shape[A] * static_cast<uint64_t>(V.strides[A]);
  return At;
}

static uint64_t elements(const goldy_tensor_view_t &V) {
  uint64_t N = 1;
  for (uint32_t A = 0; A < V.rank; ++A)
    N *= V.shape[A];
  return N;
}

/// y = 10 y + x through two views of parents of 120 elements, the second in the
/// middle of its buffer.
static void gatherThrough(Check &C, const goldy_tensor_view_t &Vx,
                          const goldy_tensor_view_t &Vy, const char *What) {
  constexpr size_t N = 120, Before = 8;
  Fixture F(C, "gather");
  goldy_buffer_t *X = F.buffer(4 * N), *Y = F.buffer(4 * (N + 2 * Before));
  if (!F.Good)
    return;
  std::vector<uint32_t> Xs = iota(N, 1), Want = iota(N + 2 * Before, 1000);
  fill(C, X, Xs);
  fill(C, Y, Want);
  runAndWait(C, F.Kernel, {{X, 0, N, 0, &Vx}, {Y, 4 * Before, N, 0, &Vy}},
             {{2, 1, 1}});
  for (uint64_t I = 0; I < elements(Vy); ++I) {
    uint32_t &To = Want[Before + place(Vy, I)];
    To = 10 * To + Xs[place(Vx, I)];
  }
  same(C, contents<uint32_t>(C, Y), Want, What);
}

static void tensorsOfEveryView(Check &C) {
  gatherThrough(C, {1, 0, {120}, {1}}, {1, 0, {120}, {1}}, "whole");
  gatherThrough(C, {0, 7, {}, {}}, {0, 119, {}, {}}, "rank 0");
  gatherThrough(C, {2, 0, {10, 12}, {1, 10}}, {2, 0, {10, 12}, {12, 1}},
                "transposed");
  gatherThrough(C, {2, 0, {10, 12}, {12, 1}}, {2, 0, {10, 12}, {1, 10}},
                "written transposed");
  gatherThrough(C, {2, 25, {3, 4}, {0, 1}}, {2, 13, {3, 4}, {24, 2}},
                "repeated, narrowed");
  gatherThrough(C, {4, 1, {2, 3, 4, 2}, {1, 8, 2, 24}},
                {4, 0, {2, 3, 4, 2}, {24, 8, 2, 1}}, "rank 4");
  gatherThrough(C, {2, 0, {0, 5}, {5, 1}}, {2, 3, {0, 5}, {5, 1}}, "empty");
  gatherThrough(C, {1, 0, {5}, {0}}, {1, 2, {5}, {3}}, "one value");
}

// Launches share tables; a table lives as long as one launch needs it.
static void tensorsShareTables(Check &C) {
  Fixture F(C, "gather");
  goldy_buffer_t *X = F.buffer(64), *Y = F.buffer(64);
  if (!F.Good)
    return;
  fill(C, X, iota(16, 1));
  const goldy_tensor_view_t Turned{2, 0, {4, 4}, {1, 4}},
      Straight{2, 0, {4, 4}, {4, 1}};
  std::vector<goldy_launch_t *> Launches(6);
  for (size_t I = 0; I < Launches.size(); ++I) {
    goldy_argument_t A[2] = {{X, 0, 16, 0, I % 2 ? &Turned : &Straight},
                             {Y, 0, 16, 0, &Straight}};
    if (!C.ok(goldy_launch_create(F.Kernel, A, 2, {{1, 1, 1}}, &Launches[I]),
              "launch"))
      return;
  }
  goldy_launch_destroy(Launches[0]); // the others of its kind keep the table
  goldy_launch_destroy(Launches[1]);
  std::vector<uint32_t> Want(16);
  uint64_t Point = 0;
  for (size_t I = 2; I < Launches.size(); ++I) {
    C.ok(goldy_launch_submit(Launches[I], &Point), "submit");
    goldy_launch_destroy(Launches[I]);
    for (uint32_t E = 0; E < 16; ++E)
      Want[E] = 10 * Want[E] + (I % 2 ? E % 4 * 4 + E / 4 : E) + 1;
  }
  C.ok(goldy_device_wait(C.Device, Point, GOLDY_FOREVER), "wait");
  same(C, contents<uint32_t>(C, Y), Want, "y");
}

/// Shades an image of this size that lies `Offset` bytes into its buffer.
static void shadeImage(Check &C, uint32_t Width, uint32_t Height,
                       uint64_t Offset) {
  Fixture F(C, "shade");
  uint64_t Count = uint64_t(Width) * Height;
  goldy_buffer_t *I = F.buffer(Offset + 16 * Count + 16), *U = F.buffer(48);
  if (!F.Good)
    return;
  fill(C, U, std::vector<float>{0, 0, 0, 0, 2.5f, -1, -2, -3});
  fill(C, I, std::vector<float>(goldy_buffer_size(I) / 4, 9));
  goldy_argument_t Image = view(I, Count, Offset);
  Image.word = Width | uint64_t(Height) << 32;
  runAndWait(C, F.Kernel, {Image, view(U, 1, 16)},
             {{(Width + 7) / 8, (Height + 7) / 8, 1}});
  std::vector<float> Want(goldy_buffer_size(I) / 4, 9);
  for (uint64_t E = 0; E < Count; ++E) {
    float *At = &Want[Offset / 4 + 4 * E];
    At[0] = 2.5f;
    At[1] = static_cast<float>(E % Width);
    At[2] = static_cast<float>(E / Width);
    At[3] = -3;
  }
  same(C, contents<float>(C, I), Want,
       std::to_string(Width) + " x " + std::to_string(Height) + ": image");
}

static void imagesAndUniforms(Check &C) {
  for (uint64_t Offset : {0u, 16u, 272u}) {
    shadeImage(C, 1, 1, Offset);
    shadeImage(C, 8, 8, Offset);
    shadeImage(C, 17, 9, Offset);
    shadeImage(C, 1, 300, Offset);
    shadeImage(C, 1000, 3, Offset);
  }
}

static void imagesOfNoElements(Check &C) {
  shadeImage(C, 0, 0, 0);
  shadeImage(C, 0, 5, 16);
  shadeImage(C, 5, 0, 0);
}

// Views of nothing, of buffers that hold nothing; the launch runs all the same.
static void shapesInNoBytes(Check &C) {
  Fixture F(C, "gather"), G(C, "shade");
  goldy_buffer_t *None = F.buffer(0), *Other = F.buffer(0), *U = G.buffer(16);
  if (!F.Good || !G.Good)
    return;
  const goldy_tensor_view_t Line{1, 0, {0}, {1}},
      Box{4, 0, {3, 0, 2, 5}, {0, 10, 5, 1}};
  for (const goldy_tensor_view_t *V : {&Line, &Box})
    runAndWait(C, F.Kernel, {{None, 0, 0, 0, V}, {Other, 0, 0, 0, V}},
               {{2, 1, 1}});
  for (uint64_t Size : {uint64_t(0), uint64_t(7), uint64_t(7) << 32}) {
    goldy_argument_t Image = view(None, 0);
    Image.word = Size;
    runAndWait(C, G.Kernel, {Image, view(U, 1)}, {{1, 1, 1}});
  }
}

static void shapesAreChecked(Check &C) {
  Fixture F(C, "shade"), G(C, "gather");
  goldy_buffer_t *B = F.buffer(256);
  goldy_launch_t *L = nullptr;
  if (!F.Good || !G.Good)
    return;
  auto Shade = [&](goldy_argument_t Image, goldy_argument_t U) {
    goldy_argument_t A[2] = {Image, U};
    return goldy_launch_create(F.Kernel, A, 2, {{1, 1, 1}}, &L);
  };
  goldy_argument_t Image = view(B, 4), U = view(B, 1, 128);
  Image.word = 2 | uint64_t(2) << 32;
  goldy_argument_t Wrong = Image;
  Wrong.word = 3 | uint64_t(2) << 32;
  C.refused(Shade(Wrong, U), GOLDY_INVALID_ARGUMENT,
            "parameter `img`: is an image of 3 x 2 elements, got 4");
  Wrong = Image;
  Wrong.offset = 8;
  C.refused(Shade(Wrong, U), GOLDY_INVALID_ARGUMENT, "multiple of 16");
  C.refused(Shade(Image, view(B, 1, 132)), GOLDY_INVALID_ARGUMENT,
            "parameter `u`: byte offset 132 is not a multiple of the view's "
            "alignment 16");
  C.refused(Shade(Image, view(B, 2, 128)), GOLDY_INVALID_ARGUMENT,
            "parameter `u`: is one value, got 2");
  C.refused(Shade(Image, view(B, 1, 16)), GOLDY_INVALID_ARGUMENT,
            "shares no memory that is written");
  auto Gather = [&](const goldy_tensor_view_t &X,
                    const goldy_tensor_view_t &Y) {
    goldy_argument_t A[2] = {{B, 0, 32, 0, &X}, {B, 128, 32, 0, &Y}};
    return goldy_launch_create(G.Kernel, A, 2, {{1, 1, 1}}, &L);
  };
  const goldy_tensor_view_t Good{1, 0, {32}, {1}};
  C.refused(Gather({1, 1, {32}, {1}}, Good), GOLDY_INVALID_ARGUMENT,
            "parameter `x`: ");
  C.refused(Gather(Good, {2, 0, {4, 4}, {0, 1}}), GOLDY_INVALID_ARGUMENT,
            "parameter `y`: ");
  C.refused(Gather({5, 0, {}, {}}, Good), GOLDY_INVALID_ARGUMENT,
            "parameter `x`: ");
}

std::vector<Case> goldy::cts::shapeCases() {
  return {{"tensors-of-every-view", tensorsOfEveryView, true},
          {"tensors-share-tables", tensorsShareTables, true},
          {"images-and-uniforms", imagesAndUniforms, true},
          {"images-of-no-elements", imagesOfNoElements, true},
          {"shapes-in-no-bytes", shapesInNoBytes},
          {"shapes-are-checked", shapesAreChecked}};
}
