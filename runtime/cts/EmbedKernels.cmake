# cmake -DOUT=h -DNAMES=a,b -DDIR=folder -P EmbedKernels.cmake: folder/a.bin …
# as byte arrays `kernelA[]` in a header.
string(REPLACE "," ";" NAMES "${NAMES}")
set(TEXT "// Made by EmbedKernels.cmake: code of kernels/*.c.\n#pragma once\nnamespace goldy::cts {\n")
foreach(N ${NAMES})
  file(READ ${DIR}/${N}.bin HEX HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," HEX "${HEX}")
  string(APPEND TEXT "inline constexpr unsigned char ${N}Code[] = {${HEX}};\n")
endforeach()
string(APPEND TEXT "} // namespace goldy::cts\n")
file(WRITE ${OUT} "${TEXT}")
