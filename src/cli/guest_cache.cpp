// ringside guest setup, list, clean, sysroot: what test VMs are made of, and where it is.
#include <cstdio>

#include <fmt/format.h>

#include "base/error.h"
#include "cli/guest_progress.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "guest/box.h"
#include "guest/cache.h"
#include "guest/kinds.h"
#include "guest/running.h"
#include "places/embedded_guest.h"
#include "report/guest/guest_listing.h"

namespace ringside::cli {

namespace {

class GuestSetup : public Verb {
  public:
    std::string name() const override { return "guest setup"; }
    std::string summary() const override {
        return "download and build ahead what a machine needs, from Debian packages";
    }
    std::string examples() const override {
        return "  ringside guest setup             the guest of `ringside compare`\n"
               "  ringside guest setup arm64-kvm   a kind of `ringside guest list`\n"
               "  ringside guest setup --all       every kind, about 3 GB\n";
    }
    void declare(Options& options) override {
        options.operand("KIND", kind_, "of this kind [the embedded guest]", false);
        options.flag("--all", all_, "of every kind");
    }
    Outcome run() override {
        std::vector<std::string> kinds;
        if (all_) {
            for (const auto* kind : guest::KindTable::built_in().bootable()) {
                kinds.push_back(kind->name);
            }
        } else {
            const auto kind = kind_.empty() ? places::embedded_kind() : Result<std::string>(kind_);
            if (!kind) return kind.error();
            kinds.push_back(*kind);
        }
        for (const auto& kind : kinds) {
            if (auto done = guest::prepare_box(kind, print_guest_progress); !done)
                return done.error();
        }
        return 0;
    }

  private:
    std::string kind_;
    bool all_ = false;
};

class GuestList : public Verb {
  public:
    std::string name() const override { return "guest list"; }
    std::string summary() const override {
        return "the machines there are, which are set up, and which run now";
    }
    std::string examples() const override { return "  ringside guest list --json\n"; }
    void declare(Options& options) override { declare_output(options, output_, false); }
    Outcome run() override;

  private:
    OutputChoice output_;
};

Outcome GuestList::run() {
    const auto cache = guest::cache_directory();
    if (!cache) return cache.error();
    report::GuestListing listing;
    listing.cache = cache->string();
    listing.cached_bytes = guest::cached_bytes(*cache);
    for (const auto* kind : guest::KindTable::built_in().bootable()) {
        listing.kinds.push_back(
            {kind->name, kind->about, kind->arch, guest::is_set_up(*cache, *kind)});
    }
    listing.running = guest::running_guests(base::SysRoot());
    auto done = deliver(output_, output_.json ? report::guest_list_json(listing)
                                              : report::guest_list_text(listing));
    if (!done) return done.error();
    return 0;
}

class GuestClean : public Verb {
  public:
    std::string name() const override { return "guest clean"; }
    std::string summary() const override {
        return "remove what was downloaded and built for machines";
    }
    std::string examples() const override {
        return "  ringside guest clean    the next machine is made anew, from newer packages\n";
    }
    void declare(Options&) override {}
    Outcome run() override {
        const auto cache = guest::cache_directory();
        if (!cache) return cache.error();
        const auto bytes = guest::cached_bytes(*cache);
        if (auto done = guest::clean_cache(*cache); !done) return done.error();
        print_guest_progress(fmt::format("removed {:.0f} MB below {}",
                                         static_cast<double>(bytes) / 1e6, cache->string()));
        return 0;
    }
};

class GuestSysroot : public Verb {
  public:
    std::string name() const override { return "guest sysroot"; }
    std::string summary() const override {
        return "unpack Debian packages of any architecture into a private tree; print its path";
    }
    std::string examples() const override {
        return "  ringside guest sysroot arm64 -- libc6-dev libelf-dev   # for a cross build\n";
    }
    void declare(Options& options) override {
        options.operand("ARCH", arch_, "Debian's name: amd64, arm64", true);
        options.command(packages_);
    }
    Outcome run() override {
        if (packages_.empty()) return base::fail(ErrorCode::bad_input, "no packages named");
        const auto cache = guest::cache_directory();
        if (!cache) return cache.error();
        const auto set =
            guest::provide_packages(*cache, arch_, "sysroot", packages_, print_guest_progress);
        if (!set) return set.error();
        std::puts(set->root.c_str());
        return 0;
    }

  private:
    std::string arch_;
    std::vector<std::string> packages_;
};

}  // namespace

void add_guest_cache_verbs(Verbs& verbs) {
    verbs.push_back(std::make_unique<GuestSetup>());
    verbs.push_back(std::make_unique<GuestList>());
    verbs.push_back(std::make_unique<GuestClean>());
    verbs.push_back(std::make_unique<GuestSysroot>());
}

}  // namespace ringside::cli
