// The embedded artifact through the generated header. Part of goldyc, under the
// Apache License v2.0 with LLVM Exceptions.
#include "scale.hpp"

#include <cstdio>

int main() {
  goldy::Result<goldy::Device> Device = goldy::Device::open("cpu");
  goldy::Result<goldy::Artifact> File =
      goldy::Artifact::load(scale::embedded());
  if (!Device || !File)
    return 1;
  goldy::Result<scale::scale> Scale = scale::scale::prepare(*Device, *File);
  if (!Scale)
    return std::puts(Scale.status().message().c_str()), 1;
  const float X[3] = {1, 2, 3};
  float Y[3] = {};
  goldy::Result<goldy::Buffer> Bx = Device->bufferOf(X),
                               By = Device->buffer(12);
  if (!Bx || !By)
    return 1;
  goldy::Result<uint64_t> Point =
      Scale->launch(Scale->over(3), Bx->view<const float>(), By->view<float>());
  if (!Point || !Device->wait(*Point).ok() || !By->read(Y).ok())
    return 1;
  std::printf("%g %g %g\n", Y[0], Y[1], Y[2]);
  return Y[0] == 3 && Y[1] == 6 && Y[2] == 9 ? 0 : 1;
}
