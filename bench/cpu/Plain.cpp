//===- Plain.cpp - The suite as plain loops -------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a C++ user writes without thinking of vectors, for the compiler's own
// vectoriser: -O3 -march=native, no contraction, libm's functions.
//
//===----------------------------------------------------------------------===//
#include "Native.h"

#include <cmath>

namespace {

void saxpy(Range R, float A, const float *__restrict X, float *__restrict Y) {
  for (int64_t I = R.Begin; I < R.End; ++I)
    Y[I] = A * X[I] + Y[I];
}

void chain(Range R, const float *__restrict X, float *__restrict Z) {
  for (int64_t I = R.Begin; I < R.End; ++I) {
    float Y = X[I] * 2.0f + 1.0f;
    float T = tanhf(0.79788456f * (Y + 0.044715f * Y * Y * Y));
    Z[I] = fminf(fmaxf(0.5f * Y * (1.0f + T), -0.1f), 2.0f);
  }
}

void softmax(Range R, int64_t Cols, const float *__restrict X,
             float *__restrict Z) {
  for (int64_t Row = R.Begin; Row < R.End; ++Row) {
    const float *__restrict In = X + Row * Cols;
    float *__restrict Out = Z + Row * Cols;
    float Most = In[0], Sum = 0;
    for (int64_t I = 1; I < Cols; ++I)
      Most = In[I] > Most ? In[I] : Most;
    for (int64_t I = 0; I < Cols; ++I)
      Sum += Out[I] = expf(In[I] - Most);
    float Scale = 1.0f / Sum;
    for (int64_t I = 0; I < Cols; ++I)
      Out[I] *= Scale;
  }
}

void rmsnorm(Range R, int64_t Cols, const float *__restrict X,
             const float *__restrict G, float *__restrict Z) {
  for (int64_t Row = R.Begin; Row < R.End; ++Row) {
    const float *__restrict In = X + Row * Cols;
    float *__restrict Out = Z + Row * Cols;
    float Sum = 0;
    for (int64_t I = 0; I < Cols; ++I)
      Sum += In[I] * In[I];
    float Scale = 1.0f / sqrtf(Sum / float(Cols) + 0.00001f);
    for (int64_t I = 0; I < Cols; ++I)
      Out[I] = In[I] * Scale * G[I];
  }
}

float sum(Range R, const float *__restrict X) {
  float Sum = 0;
  for (int64_t I = R.Begin; I < R.End; ++I)
    Sum += X[I];
  return Sum;
}

void sgemm(Range R, int64_t N, const float *__restrict A,
           const float *__restrict B, float *__restrict C) {
  for (int64_t I = R.Begin; I < R.End; ++I) {
    for (int64_t J = 0; J < N; ++J)
      C[I * N + J] = 0;
    for (int64_t K = 0; K < N; ++K)
      for (int64_t J = 0; J < N; ++J)
        C[I * N + J] += A[I * N + K] * B[K * N + J];
  }
}

void conv5(Range R, int64_t W, int64_t H, const float *__restrict X,
           const float *__restrict K, float *__restrict Z) {
  for (int64_t Y = R.Begin; Y < R.End; ++Y)
    for (int64_t I = 0; I < W; ++I) {
      float Sum = 0;
      for (int64_t DY = -2; DY <= 2; ++DY)
        for (int64_t DX = -2; DX <= 2; ++DX)
          if (Y + DY >= 0 && Y + DY < H && I + DX >= 0 && I + DX < W)
            Sum += X[(Y + DY) * W + I + DX] * K[(DY + 2) * 5 + DX + 2];
      Z[Y * W + I] = Sum;
    }
}

void mandel(Range R, int64_t W, int64_t H, int32_t Most,
            int32_t *__restrict Z) {
  for (int64_t Y = R.Begin; Y < R.End; ++Y)
    for (int64_t I = 0; I < W; ++I) {
      float CR = -2.0f + 3.0f * float(I) / float(W);
      float CI = -1.5f + 3.0f * float(Y) / float(H);
      float A = 0, B = 0;
      int32_t N = 0;
      while (N < Most && A * A + B * B < 4.0f) {
        float T = A * A - B * B + CR;
        B = 2.0f * A * B + CI;
        A = T;
        ++N;
      }
      Z[Y * W + I] = N;
    }
}

void hist(Range R, const uint32_t *__restrict X, uint32_t *__restrict Bins) {
  for (int64_t I = R.Begin; I < R.End; ++I)
    ++Bins[X[I] & 255];
}

void mix(Range R, const uint32_t *__restrict X, uint32_t *__restrict Z) {
  for (int64_t I = R.Begin; I < R.End; ++I) {
    uint32_t H = X[I];
    for (uint32_t Round = 0; Round < 4; ++Round) {
      H ^= H >> 16;
      H *= 0x85ebca6b;
      H ^= H >> 13;
      H *= 0xc2b2ae35;
      H ^= H >> 16;
      H += Round;
    }
    Z[I] = H;
  }
}

} // namespace

const NativeSuite *nativeSuite() {
  static const NativeSuite Suite{saxpy, chain, softmax, rmsnorm, sum,
                                 sgemm, conv5, mandel,  hist,    mix};
  return &Suite;
}
