# cmake -DIN=a.spv -DOUT=h -DNAME=AWords -P EmbedWords.cmake: a file's bytes as an
# array in a header.
file(READ ${IN} HEX HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," HEX "${HEX}")
file(WRITE ${OUT} "// Made by EmbedWords.cmake.\n#pragma once\nnamespace goldy::rt::vk {\ninline constexpr unsigned char ${NAME}[] = {${HEX}};\n} // namespace goldy::rt::vk\n")
