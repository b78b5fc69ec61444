#include "core/loader/loader.hpp"

#include "core/base/text.hpp"
#include "core/loader/contract.hpp"
#include "core/loader/digest.hpp"
#include "core/loader/elf.hpp"
#include "core/loader/library.hpp"
#include "core/loader/places.hpp"
#include "core/loader/vet.hpp"

#include <algorithm>
#include <compare>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include <fmt/format.h>

namespace assay {
namespace {

// Precedence of a plugin: smaller wins.
struct Rank {
    std::size_t place = 0;
    bool named_otherwise = false; // the file is not called like the plugin
    std::size_t file = 0;
    std::uint32_t index = 0;
    auto operator<=>(const Rank&) const = default;
};

struct Candidate {
    LoadedPlugin plugin;
    std::string id;
    Library* library = nullptr;
    Rank rank;

    [[nodiscard]] bool is_called(std::string_view name) const { return plugin.name == name || id == name; }
};
using Candidates = std::vector<std::unique_ptr<Candidate>>;

struct FileState {
    std::string path;
    bool tried = false;
    Status reason; // why it is broken
};
struct PlaceState {
    Place place;
    bool looked = false;
    Status reason; // why the place as a whole is unusable
    std::vector<FileState> files;
};

enum class Hash { now, later };

// The file name that a plugin of this name or id would ordinarily have.
std::string likely_stem(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return std::string(dot == std::string_view::npos ? name : name.substr(dot + 1));
}

} // namespace

struct Loader::Impl {
    Options options;
    std::vector<PlaceState> places;
    Candidates candidates; // found in the places
    Candidates by_path;    // asked for by path, whatever else has their name
    std::set<Library*> started;

    void look(PlaceState& state);
    Status load(const std::string& path, Hash hash, Rank rank, Candidates& into);
    Result<Library*> start(const VettedFile& vetted);
    void load_files(std::size_t place, Hash hash, const std::optional<std::string>& stem);
    // The plugins that nothing of better rank hides, and why the others are hidden.
    std::vector<Candidate*> winners(std::vector<BrokenPlugin>* hidden);
    Candidate* best_in(std::size_t place, std::string_view name);
    Result<const LoadedPlugin*> hand_out(Candidate& candidate);
    Result<const LoadedPlugin*> find_path(const std::string& path);
    std::optional<Status> refused(const PlaceState& state, const std::string& stem);
    Status unknown(std::string_view name);
};

void Loader::Impl::look(PlaceState& state) {
    if (state.looked) return;
    state.looked = true;
    PlaceContent content = look_into(state.place);
    state.reason = content.reason;
    for (std::string& file : content.files)
        state.files.push_back({std::move(file), false, {}});
}

Result<Library*> Loader::Impl::start(const VettedFile& vetted) {
    auto library = Library::load(vetted);
    if (!library) return library.status();
    if (Status bad = check_entry((*library)->entry()); !bad.ok()) return bad;
    if (started.contains(*library)) return *library;
    if (Status bad = (*library)->start(options.log); !bad.ok()) return bad;
    started.insert(*library);
    return *library;
}

// Vets and loads one file and adds what it holds to `into`; a file that is there already adds nothing.
Status Loader::Impl::load(const std::string& path, Hash hash, Rank rank, Candidates& into) {
    auto vetted = vet_file(path);
    if (!vetted) return vetted.status();
    const auto again = std::any_of(into.begin(), into.end(), [&](const auto& candidate) {
        return candidate->library->identity().same_file(vetted->identity);
    });
    if (again) return {};
    const auto facts = read_elf(vetted->file.get(), vetted->identity.size_bytes, ASSAY_ENTRY_SYMBOL);
    if (!facts) return facts.status().wrap(vetted->path);
    if (!facts->exports_symbol)
        return usage_error(
            fmt::format("{}: is no plugin of this assay: it exports no function {}", vetted->path, ASSAY_ENTRY_SYMBOL));
    PluginFile file{vetted->path, "", facts->build_id};
    if (hash == Hash::now) {
        auto digest = sha256_hex(vetted->file.get(), vetted->identity.size_bytes);
        if (!digest) return digest.status().wrap(vetted->path);
        file.sha256 = std::move(*digest);
    }
    const auto library = start(*vetted);
    if (!library) return library.status().wrap(vetted->path);

    const assay_entry* entry = (*library)->entry();
    std::vector<CheckedDescriptor> descriptors;
    for (std::uint32_t i = 0; i < entry->descriptor_count; ++i) {
        auto checked = check_descriptor(entry->descriptor(i));
        if (!checked) return checked.status().wrap(fmt::format("{}: plugin {}", vetted->path, i));
        descriptors.push_back(std::move(*checked));
    }
    for (CheckedDescriptor& checked : descriptors) {
        rank.named_otherwise = stem_of(vetted->path) != checked.name;
        into.push_back(std::make_unique<Candidate>(Candidate{
            {file, entry, checked.descriptor, checked.name, std::move(checked.schema)}, checked.id, *library, rank}));
        ++rank.index;
    }
    return {};
}

// Loads the files of a place that were not tried yet; with a stem, only those called so.
void Loader::Impl::load_files(std::size_t place, Hash hash, const std::optional<std::string>& stem) {
    PlaceState& state = places[place];
    look(state);
    for (std::size_t i = 0; i < state.files.size(); ++i) {
        FileState& file = state.files[i];
        if (file.tried || (stem && stem_of(file.path) != *stem)) continue;
        file.tried = true;
        file.reason = load(file.path, hash, {place, false, i, 0}, candidates);
    }
}

std::vector<Candidate*> Loader::Impl::winners(std::vector<BrokenPlugin>* hidden) {
    std::vector<Candidate*> ordered;
    for (const auto& candidate : candidates)
        ordered.push_back(candidate.get());
    std::sort(ordered.begin(), ordered.end(), [](auto* a, auto* b) { return a->rank < b->rank; });
    std::map<std::string, Candidate*> taken;
    std::vector<Candidate*> winners;
    for (Candidate* candidate : ordered) {
        const std::string* clash = nullptr;
        for (const std::string* word : {&candidate->plugin.name, &candidate->id})
            if (clash == nullptr && taken.contains(*word)) clash = word;
        if (clash != nullptr) {
            const std::string& path = candidate->plugin.file.path;
            if (hidden != nullptr)
                hidden->push_back({path, usage_error(fmt::format("{}: '{}' is already the plugin in {}", path, *clash,
                                                                 taken[*clash]->plugin.file.path))});
            continue;
        }
        taken[candidate->plugin.name] = candidate;
        taken[candidate->id] = candidate;
        winners.push_back(candidate);
    }
    return winners;
}

Candidate* Loader::Impl::best_in(std::size_t place, std::string_view name) {
    for (Candidate* candidate : winners(nullptr))
        if (candidate->rank.place == place && candidate->is_called(name)) return candidate;
    return nullptr;
}

// A plugin that a listing loaded without hashing is hashed now: its file must not have changed since.
Result<const LoadedPlugin*> Loader::Impl::hand_out(Candidate& candidate) {
    PluginFile& file = candidate.plugin.file;
    if (file.sha256.empty()) {
        const auto vetted = vet_file(file.path);
        if (!vetted) return vetted.status();
        if (vetted->identity != candidate.library->identity())
            return usage_error(fmt::format("{}: changed after it was loaded: start again", file.path));
        auto digest = sha256_hex(vetted->file.get(), vetted->identity.size_bytes);
        if (!digest) return digest.status().wrap(file.path);
        file.sha256 = std::move(*digest);
    }
    return &candidate.plugin;
}

Result<const LoadedPlugin*> Loader::Impl::find_path(const std::string& path) {
    const auto vetted = vet_file(path);
    if (!vetted) return vetted.status();
    if (Status bad = load(path, Hash::now, {}, by_path); !bad.ok()) return bad;
    for (const auto& candidate : by_path)
        if (candidate->library->identity().same_file(vetted->identity)) return hand_out(*candidate);
    return internal_error(fmt::format("{}: was loaded and cannot be found", path));
}

// Why a search must not go on beyond this place, if so.
std::optional<Status> Loader::Impl::refused(const PlaceState& state, const std::string& stem) {
    const bool explicit_place = state.place.origin == Origin::option;
    if (explicit_place && !state.reason.ok()) return state.reason.wrap("--plugin");
    std::error_code ignored;
    const auto named = std::filesystem::path(state.place.path) / (stem + ".so");
    if (!state.reason.ok() && std::filesystem::exists(named, ignored))
        return state.reason.wrap(fmt::format("plugin '{}'", stem));
    for (const FileState& file : state.files) {
        if (file.reason.ok()) continue;
        if (explicit_place && file.path == state.place.path) return file.reason.wrap("--plugin");
        if (stem_of(file.path) == stem) return file.reason.wrap(fmt::format("plugin '{}'", stem));
    }
    return std::nullopt;
}

Status Loader::Impl::unknown(std::string_view name) {
    std::vector<std::string> names;
    for (const Candidate* candidate : winners(nullptr))
        names.push_back(candidate->plugin.name);
    std::string looked;
    std::string unusable;
    std::size_t broken = 0;
    for (const PlaceState& state : places) {
        looked += (looked.empty() ? "" : ", ") + place_text(state.place);
        if (!state.reason.ok()) unusable += "; " + state.reason.message();
        for (const FileState& file : state.files)
            broken += file.reason.ok() ? 0 : 1;
    }
    std::string text = fmt::format("there is no plugin {}{}; ", in_quotes(name), did_you_mean(name, names));
    text += looked.empty() ? "there is no place to look in" : "looked in " + looked + unusable;
    if (broken > 0)
        text += fmt::format("; {} {} there cannot be used (`assay plugins list` says why)", broken,
                            broken == 1 ? "file" : "files");
    return usage_error(text);
}

Loader::Loader(Options options) : impl_(std::make_unique<Impl>()) {
    impl_->options = std::move(options);
    for (Place& place : places_of(impl_->options))
        impl_->places.push_back({std::move(place), false, {}, {}});
}

Loader::~Loader() {
    for (Library* library : impl_->started)
        library->stop();
}

Loader::Listing Loader::list() {
    for (std::size_t place = 0; place < impl_->places.size(); ++place)
        impl_->load_files(place, Hash::later, std::nullopt);
    Listing listing;
    for (const PlaceState& state : impl_->places) {
        if (!state.reason.ok()) listing.broken.push_back({state.place.path, state.reason});
        for (const FileState& file : state.files)
            if (!file.reason.ok()) listing.broken.push_back({file.path, file.reason});
    }
    for (const Candidate* winner : impl_->winners(&listing.broken))
        listing.plugins.push_back(&winner->plugin);
    std::sort(listing.plugins.begin(), listing.plugins.end(), [](auto* a, auto* b) { return a->name < b->name; });
    return listing;
}

Result<const LoadedPlugin*> Loader::find(std::string_view name) {
    if (name.find('/') != std::string_view::npos) return impl_->find_path(std::string(name));
    const std::string stem = likely_stem(name);
    for (std::size_t place = 0; place < impl_->places.size(); ++place) {
        for (const std::optional<std::string>& only : {std::optional(stem), std::optional<std::string>()}) {
            impl_->load_files(place, Hash::now, only);
            if (const auto refusal = impl_->refused(impl_->places[place], stem)) return *refusal;
            if (Candidate* found = impl_->best_in(place, name)) return impl_->hand_out(*found);
        }
    }
    return impl_->unknown(name);
}

} // namespace assay
