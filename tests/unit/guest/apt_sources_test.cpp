#include "guest/apt_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside::guest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const base::SysRoot system_with_sources(RINGSIDE_FIXTURES "/guest/apt");

constexpr const char* index_targets =
    "MetaKey: main/binary-amd64/Packages\nLabel: Debian\nOrigin: Debian\nComponent: main\n"
    "Created-By: Packages\nRelease: bookworm\nSite: http://mirror.example/debian\n"
    "Sourcesentry: /etc/apt/sources.list.d/debian.sources:2\n"
    "\n"
    "MetaKey: main/binary-i386/Packages\nLabel: Debian\nOrigin: Debian\nComponent: main\n"
    "Created-By: Packages\nRelease: bookworm\nSite: http://mirror.example/debian\n"
    "Sourcesentry: /etc/apt/sources.list.d/debian.sources:2\n"
    "\n"
    "MetaKey: main/i18n/Translation-en\nLabel: Debian\nOrigin: Debian\nComponent: main\n"
    "Created-By: Translations\nRelease: bookworm\nSite: http://mirror.example/debian\n"
    "\n"
    "Label: Debian-Security\nOrigin: Debian\nComponent: main\nCreated-By: Packages\n"
    "Release: bookworm-security\nSite: http://mirror.example/debian-security\n"
    "Sourcesentry: /etc/apt/sources.list:3\n"
    "\n"
    "Label: NodeSource\nOrigin: . nodistro\nComponent: main\nCreated-By: Packages\n"
    "Release: nodistro\nSite: https://third.example/node\n";

TEST(AptSources, TakesDebiansOwnOnce) {
    EXPECT_THAT(debian_sources(index_targets, system_with_sources),
                ElementsAre(AptSource{"http://mirror.example/debian", "bookworm", "main",
                                      "/usr/share/keyrings/debian.gpg"},
                            AptSource{"http://mirror.example/debian-security", "bookworm-security",
                                      "main", "/usr/share/keyrings/security.gpg"}));
}

TEST(AptSources, SurvivesRubbish) {
    EXPECT_THAT(debian_sources("", system_with_sources), IsEmpty());
    EXPECT_THAT(debian_sources("no colon\n continued\n\n\n:\n", system_with_sources), IsEmpty());
    const auto sources = debian_sources(
        "Label: Debian\nOrigin: Debian\nComponent: main\nCreated-By: Packages\nRelease: x\n"
        "Site: y\nSourcesentry: /none:99999999999999999999\n",
        system_with_sources);
    EXPECT_THAT(sources, ElementsAre(AptSource{"y", "x", "main", ""}));
}

TEST(AptSources, WritesADeb822File) {
    EXPECT_EQ(to_sources_file({{"http://m/debian", "bookworm", "main", "/k.gpg"}}, "arm64"),
              "Types: deb\nURIs: http://m/debian\nSuites: bookworm\nComponents: main\n"
              "Architectures: arm64\nSigned-By: /k.gpg\n\n");
    EXPECT_THAT(to_sources_file({{"u", "s", "main", ""}}, "amd64"), Not(HasSubstr("Signed-By")));
}

TEST(AptSources, KeepsHowTheSystemReachesItsMirrors) {
    EXPECT_EQ(
        transport_settings("APT::Architecture \"amd64\";\n"
                           "Acquire::http::Proxy \"http://proxy:3128\";\n"
                           "Acquire::IndexTargets::deb::DEP-11 \"\";\n"
                           "DPkg::Pre-Install-Pkgs:: \"rm\";\n"
                           "Acquire::Check-Valid-Until \"false\";\n"),
        "Acquire::http::Proxy \"http://proxy:3128\";\nAcquire::Check-Valid-Until \"false\";\n");
}

}  // namespace
}  // namespace ringside::guest
