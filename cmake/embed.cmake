# Writes OUTPUT, a table of the files named in LIST (one "name|path" a line), as C++ byte arrays.
# A script has its SHA-256 (in hexadecimal) beside it, "name.sha256": a page can say by it which
# scripts are its own.
#   cmake -DOUTPUT=... -DLIST=... -P embed.cmake
file(STRINGS "${LIST}" entries)
set(arrays "")
set(rows "")
set(index 0)
foreach(entry IN LISTS entries)
    string(REPLACE "|" ";" pair "${entry}")
    list(GET pair 0 name)
    list(GET pair 1 path)
    file(READ "${path}" hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND arrays
        "alignas(8) constexpr unsigned char file_${index}[] = {${bytes}0};\n")
    string(APPEND rows
        "    {\"${name}\", file_${index}, sizeof file_${index} - 1},\n")
    math(EXPR index "${index} + 1")
    if(name MATCHES "\\.js$")
        file(SHA256 "${path}" hash)
        string(APPEND arrays "constexpr unsigned char file_${index}[] = \"${hash}\";\n")
        string(APPEND rows "    {\"${name}.sha256\", file_${index}, sizeof file_${index} - 1},\n")
        math(EXPR index "${index} + 1")
    endif()
endforeach()
file(WRITE "${OUTPUT}" "// Generated from data/ by cmake/embed.cmake.
#include \"base/embedded.h\"

namespace ringside::base {

namespace {

${arrays}
struct Row {
    std::string_view path;
    const unsigned char* bytes;
    std::size_t size;
};

constexpr Row rows[] = {
${rows}};

}  // namespace

std::optional<std::string_view> embedded_file(std::string_view path) {
    for (const auto& row : rows) {
        if (row.path == path) {
            return std::string_view(reinterpret_cast<const char*>(row.bytes), row.size);
        }
    }
    return std::nullopt;
}

}  // namespace ringside::base
")
