#include "core/loader/elf.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

namespace assay {
namespace {

constexpr std::size_t segments_max = 128;
constexpr std::size_t dynamic_bytes_max = 4096 * sizeof(Elf64_Dyn);
constexpr std::size_t note_bytes_max = 64 << 10;
constexpr std::size_t build_id_bytes_max = 64;
constexpr std::uint32_t chain_steps_max = 65536;

#if defined(__x86_64__)
constexpr Elf64_Half machine = EM_X86_64;
constexpr const char* machine_text = "x86-64";
#elif defined(__aarch64__)
constexpr Elf64_Half machine = EM_AARCH64;
constexpr const char* machine_text = "AArch64";
#else
#error "say which ELF machine this architecture is"
#endif

// Positioned, bounded reads.
class File {
public:
    File(int file, std::int64_t size_bytes) : file_(file), size_(static_cast<std::uint64_t>(size_bytes)) {}

    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] bool holds(std::uint64_t offset, std::uint64_t bytes) const {
        return offset <= size_ && bytes <= size_ - offset;
    }
    [[nodiscard]] bool read(std::uint64_t offset, std::span<std::byte> into) const {
        if (!holds(offset, into.size())) return false;
        const ssize_t got = ::pread(file_, into.data(), into.size(), static_cast<off_t>(offset));
        return got == static_cast<ssize_t>(into.size());
    }
    template <class T>
    [[nodiscard]] std::optional<T> read(std::uint64_t offset) const {
        static_assert(std::is_trivially_copyable_v<T>);
        T value;
        if (!read(offset, std::as_writable_bytes(std::span(&value, 1)))) return std::nullopt;
        return value;
    }
    template <class T>
    [[nodiscard]] std::optional<std::vector<T>> read_array(std::uint64_t offset, std::size_t count) const {
        std::vector<T> values(count);
        if (!read(offset, std::as_writable_bytes(std::span(values)))) return std::nullopt;
        return values;
    }

private:
    int file_;
    std::uint64_t size_;
};

Status wrong(std::string text) { return usage_error(std::move(text)); }

Result<Elf64_Ehdr> read_header(const File& file) {
    const auto header = file.read<Elf64_Ehdr>(0);
    char magic[SELFMAG] = {};
    if (!file.read(0, std::as_writable_bytes(std::span(magic))) || std::memcmp(magic, ELFMAG, SELFMAG) != 0)
        return wrong("is not a shared object: it does not start with the ELF magic");
    if (!header) return wrong(fmt::format("is cut short: {} bytes cannot hold an ELF header", file.size()));
    constexpr auto order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != order || header->e_machine != machine)
        return wrong(fmt::format("is an ELF file for another machine (ELF class {}, machine {}); this one is 64-bit {}",
                                 header->e_ident[EI_CLASS], header->e_machine, machine_text));
    if (header->e_type != ET_DYN)
        return wrong(fmt::format("is an ELF file but no shared object (ELF type {}, and a shared object is {})",
                                 header->e_type, ET_DYN));
    if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum == 0 || header->e_phnum > segments_max)
        return wrong(
            fmt::format("has a malformed ELF header: {} segments of {} bytes", header->e_phnum, header->e_phentsize));
    return *header;
}

Status check_whole(const File& file, const Elf64_Ehdr& header, const std::vector<Elf64_Phdr>& segments) {
    for (const Elf64_Phdr& segment : segments)
        if (!file.holds(segment.p_offset, segment.p_filesz) && segment.p_type != PT_NULL)
            return wrong(fmt::format("is cut short: a segment has {} bytes at {}, and the file ends at {}",
                                     segment.p_filesz, segment.p_offset, file.size()));
    const std::uint64_t table = std::uint64_t{header.e_shnum} * header.e_shentsize;
    if (header.e_shoff != 0 && !file.holds(header.e_shoff, table))
        return wrong(fmt::format("is cut short: its section table has {} bytes at {}, and the file ends at {}", table,
                                 header.e_shoff, file.size()));
    return {};
}

std::uint64_t padded(std::uint64_t bytes) { return (bytes + 3) & ~std::uint64_t{3}; }

// The GNU build id in one PT_NOTE segment, or "".
std::string build_id_in(const File& file, const Elf64_Phdr& segment) {
    const auto notes = file.read_array<unsigned char>(segment.p_offset, std::min(segment.p_filesz, note_bytes_max));
    if (!notes) return "";
    for (std::uint64_t at = 0; notes->size() - at >= sizeof(Elf64_Nhdr);) {
        Elf64_Nhdr note;
        std::memcpy(&note, notes->data() + at, sizeof note);
        const std::uint64_t name = at + sizeof note;
        const std::uint64_t content = name + padded(note.n_namesz);
        const std::uint64_t next = content + padded(note.n_descsz);
        if (content + note.n_descsz > notes->size()) return "";
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes->data() + name, "GNU", 4) == 0 &&
            note.n_descsz <= build_id_bytes_max) {
            std::string hex;
            for (std::uint64_t i = 0; i < note.n_descsz; ++i)
                hex += fmt::format("{:02x}", (*notes)[content + i]);
            return hex;
        }
        if (next >= notes->size()) return "";
        at = next;
    }
    return "";
}

// Looks a name up in the file's own dynamic symbols, as the dynamic linker would.
class DynamicSymbols {
public:
    DynamicSymbols(const File& file, const std::vector<Elf64_Phdr>& segments) : file_(file), segments_(segments) {
        for (const Elf64_Phdr& segment : segments)
            if (segment.p_type == PT_DYNAMIC) read_dynamic(segment);
    }

    [[nodiscard]] bool defines_function(std::string_view name) const {
        if (!symbols_ || !strings_) return false;
        return (gnu_hash_ && in_gnu_hash(name)) || (sysv_hash_ && in_sysv_hash(name));
    }

private:
    void read_dynamic(const Elf64_Phdr& segment) {
        const std::size_t bytes = std::min<std::size_t>(segment.p_filesz, dynamic_bytes_max);
        const auto entries = file_.read_array<Elf64_Dyn>(segment.p_offset, bytes / sizeof(Elf64_Dyn));
        if (!entries) return;
        for (const Elf64_Dyn& entry : *entries) {
            if (entry.d_tag == DT_NULL) break;
            if (entry.d_tag == DT_SYMTAB) symbols_ = offset_of(entry.d_un.d_ptr);
            if (entry.d_tag == DT_STRTAB) strings_ = offset_of(entry.d_un.d_ptr);
            if (entry.d_tag == DT_STRSZ) string_bytes_ = entry.d_un.d_val;
            if (entry.d_tag == DT_GNU_HASH) gnu_hash_ = offset_of(entry.d_un.d_ptr);
            if (entry.d_tag == DT_HASH) sysv_hash_ = offset_of(entry.d_un.d_ptr);
        }
    }
    // Where a virtual address lies in the file.
    [[nodiscard]] std::optional<std::uint64_t> offset_of(std::uint64_t address) const {
        for (const Elf64_Phdr& segment : segments_)
            if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
                return segment.p_offset + (address - segment.p_vaddr);
        return std::nullopt;
    }
    [[nodiscard]] bool is_function(std::uint32_t index, std::string_view name) const {
        const auto symbol = file_.read<Elf64_Sym>(*symbols_ + std::uint64_t{index} * sizeof(Elf64_Sym));
        if (!symbol || symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC) return false;
        if (symbol->st_name >= string_bytes_ || string_bytes_ - symbol->st_name < name.size() + 1) return false;
        const auto text = file_.read_array<char>(*strings_ + symbol->st_name, name.size() + 1);
        return text && std::string_view(text->data(), name.size()) == name && text->back() == '\0';
    }
    [[nodiscard]] bool in_gnu_hash(std::string_view name) const {
        struct Header {
            std::uint32_t buckets, first_symbol, filter_words, filter_shift;
        };
        const auto header = file_.read<Header>(*gnu_hash_);
        if (!header || header->buckets == 0) return false;
        std::uint32_t hash = 5381;
        for (const char c : name)
            hash = hash * 33 + static_cast<unsigned char>(c);
        const std::uint64_t buckets = *gnu_hash_ + sizeof(Header) + std::uint64_t{header->filter_words} * 8;
        const std::uint64_t chains = buckets + std::uint64_t{header->buckets} * 4;
        const auto first = file_.read<std::uint32_t>(buckets + std::uint64_t{hash % header->buckets} * 4);
        if (!first || *first < header->first_symbol) return false;
        for (std::uint32_t step = 0; step < chain_steps_max && *first <= UINT32_MAX - step; ++step) {
            const std::uint32_t index = *first + step;
            const auto link = file_.read<std::uint32_t>(chains + std::uint64_t{index - header->first_symbol} * 4);
            if (!link) return false;
            if ((*link | 1) == (hash | 1) && is_function(index, name)) return true;
            if ((*link & 1) != 0) return false;
        }
        return false;
    }
    [[nodiscard]] bool in_sysv_hash(std::string_view name) const {
        struct Header {
            std::uint32_t buckets, chains;
        };
        const auto header = file_.read<Header>(*sysv_hash_);
        if (!header || header->buckets == 0) return false;
        std::uint32_t hash = 0;
        for (const char c : name) {
            hash = (hash << 4) + static_cast<unsigned char>(c);
            const std::uint32_t top = hash & 0xf0000000u;
            hash = (hash ^ (top >> 24)) & ~top;
        }
        const std::uint64_t buckets = *sysv_hash_ + sizeof(Header);
        const std::uint64_t chains = buckets + std::uint64_t{header->buckets} * 4;
        auto index = file_.read<std::uint32_t>(buckets + std::uint64_t{hash % header->buckets} * 4);
        for (std::uint32_t step = 0; index && *index != 0 && *index < header->chains && step < chain_steps_max;
             ++step) {
            if (is_function(*index, name)) return true;
            index = file_.read<std::uint32_t>(chains + std::uint64_t{*index} * 4);
        }
        return false;
    }

    const File& file_;
    const std::vector<Elf64_Phdr>& segments_;
    std::optional<std::uint64_t> symbols_;
    std::optional<std::uint64_t> strings_;
    std::optional<std::uint64_t> gnu_hash_;
    std::optional<std::uint64_t> sysv_hash_;
    std::uint64_t string_bytes_ = 0;
};

} // namespace

Result<ElfFacts> read_elf(int descriptor, std::int64_t size_bytes, std::string_view function) {
    const File file(descriptor, size_bytes);
    const auto header = read_header(file);
    if (!header) return header.status();
    const auto segments = file.read_array<Elf64_Phdr>(header->e_phoff, header->e_phnum);
    if (!segments)
        return wrong(fmt::format("is cut short: its segment table starts at {}, and the file ends at {}",
                                 header->e_phoff, file.size()));
    if (Status bad = check_whole(file, *header, *segments); !bad.ok()) return bad;

    ElfFacts facts;
    for (const Elf64_Phdr& segment : *segments)
        if (segment.p_type == PT_NOTE && facts.build_id.empty()) facts.build_id = build_id_in(file, segment);
    facts.exports_symbol = DynamicSymbols(file, *segments).defines_function(function);
    return facts;
}

} // namespace assay
