//===- Tools.cpp - SPIRV-Tools: optimise, validate, disassemble
//------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only passes that never evaluate an operation are used. The tools' folding
// rules rewrite float arithmetic (`x * 1.0`, `x + 0.0`) without regard to
// signed zeros, NaN bits and subnormals, so ccp, simplify-instructions and
// everything built on them stay out: constants were folded in the IR, with
// the language's meaning. merge-blocks stays out too: it can fold a continue
// target into its loop's header, which the validator then refuses.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"

#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>

namespace goldy::spirv {

static spv_target_env environment(bool InWords) {
  return InWords ? SPV_ENV_VULKAN_1_1 : SPV_ENV_VULKAN_1_3;
}

static spvtools::MessageConsumer collectInto(std::string &Why) {
  return [&Why](spv_message_level_t Level, const char *, const spv_position_t &,
                const char *Message) {
    if (Level > SPV_MSG_ERROR)
      return;
    if (!Why.empty())
      Why += "; ";
    Why += Message;
  };
}

static bool optimise(Words &Binary, unsigned OptLevel, bool InWords,
                     std::string &Why) {
  if (OptLevel == 0)
    return true;
  spvtools::Optimizer Optimiser(environment(InWords));
  Optimiser.SetMessageConsumer(collectInto(Why));
  Optimiser.RegisterPass(spvtools::CreateSSARewritePass());
  if (OptLevel >= 3)
    Optimiser.RegisterPass(spvtools::CreateLocalRedundancyEliminationPass());
  Optimiser.RegisterPass(spvtools::CreateAggressiveDCEPass())
      .RegisterPass(spvtools::CreateCompactIdsPass());
  spvtools::OptimizerOptions Settings;
  Settings.set_run_validator(false);
  Words Result;
  if (!Optimiser.Run(Binary.data(), Binary.size(), &Result, Settings))
    return false;
  Binary = std::move(Result);
  return true;
}

std::optional<Words> finishBinary(Words Binary, unsigned OptLevel, bool InWords,
                                  std::string &Why) {
  if (!optimise(Binary, OptLevel, InWords, Why))
    return std::nullopt;
  spvtools::SpirvTools Validator(environment(InWords));
  Validator.SetMessageConsumer(collectInto(Why));
  if (!Validator.Validate(Binary))
    return std::nullopt;
  return Binary;
}

} // namespace goldy::spirv

namespace goldy {

std::string disassembleSpirv(const Image &I) {
  spirv::Words Binary(I.Bytes.size() / 4);
  for (size_t W = 0; W < Binary.size(); ++W)
    for (unsigned Byte = 0; Byte < 4; ++Byte)
      Binary[W] |= uint32_t(I.Bytes[W * 4 + Byte]) << (8 * Byte);
  std::string Text;
  spvtools::SpirvTools Tools(spirv::environment(false));
  Tools.Disassemble(Binary, &Text,
                    SPV_BINARY_TO_TEXT_OPTION_INDENT |
                        SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES |
                        SPV_BINARY_TO_TEXT_OPTION_NO_HEADER);
  return Text;
}

} // namespace goldy
