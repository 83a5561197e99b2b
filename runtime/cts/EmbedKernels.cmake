# cmake -DOUT=h -DNAMES=a,b -DDIR=folder -P EmbedKernels.cmake: folder/a.bin,
# folder/a.spv, folder/a.ptx … as byte arrays `aCode[]`, `aSpirv[]`, `aPtx[]` in a
# header.
string(REPLACE "," ";" NAMES "${NAMES}")
set(TEXT "// Made by EmbedKernels.cmake: code of kernels/*.c.\n#pragma once\nnamespace goldy::cts {\n")
foreach(N ${NAMES})
  foreach(KIND bin spv ptx)
    file(READ ${DIR}/${N}.${KIND} HEX HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," HEX "${HEX}")
    string(REPLACE "bin" "Code" SUFFIX ${KIND})
    string(REPLACE "spv" "Spirv" SUFFIX ${SUFFIX})
    string(REPLACE "ptx" "Ptx" SUFFIX ${SUFFIX})
    string(APPEND TEXT "inline constexpr unsigned char ${N}${SUFFIX}[] = {${HEX}};\n")
  endforeach()
endforeach()
string(APPEND TEXT "} // namespace goldy::cts\n")
file(WRITE ${OUT} "${TEXT}")
