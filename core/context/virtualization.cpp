#include "core/context/virtualization.hpp"

#include <array>
#include <cstring>
#include <filesystem>
#include <utility>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace assay::context {
namespace {

#if defined(__x86_64__) || defined(__i386__)
// The vendor signature of CPUID leaf 0x40000000, by the name people use.
std::string hypervisor_of_cpu() {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    constexpr unsigned hypervisor_present = 1U << 31;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return {};
    if ((ecx & hypervisor_present) == 0) return "none";
    __cpuid(0x40000000, eax, ebx, ecx, edx);
    std::array<char, 13> signature{};
    std::memcpy(signature.data(), &ebx, 4);
    std::memcpy(signature.data() + 4, &ecx, 4);
    std::memcpy(signature.data() + 8, &edx, 4);
    static constexpr std::array<std::pair<const char*, const char*>, 8> names{{{"KVMKVMKVM", "KVM"},
                                                                               {"Linux KVM Hv", "KVM"},
                                                                               {"VMwareVMware", "VMware"},
                                                                               {"Microsoft Hv", "Hyper-V"},
                                                                               {"XenVMMXenVMM", "Xen"},
                                                                               {"bhyve bhyve ", "bhyve"},
                                                                               {"TCGTCGTCGTCG", "QEMU (emulated)"},
                                                                               {" lrpepyh  vr", "Parallels"}}};
    for (const auto& [vendor, name] : names) {
        if (std::strcmp(signature.data(), vendor) == 0) return name;
    }
    return signature[0] != '\0' ? printable(signature.data()) : "unknown hypervisor";
}
constexpr const char* hypervisor_source = "CPUID 0x40000000";
#else
std::string hypervisor_of_cpu() { return {}; }
constexpr const char* hypervisor_source = "";
#endif

} // namespace

void add_virtualization(Facts& facts, const std::string& root) {
    facts.text("virtualization", hypervisor_of_cpu(), hypervisor_source);
    static constexpr std::array<std::pair<const char*, const char*>, 2> markers{
        {{"/.dockerenv", "docker"}, {"/run/.containerenv", "podman"}}};
    for (const auto& [file, name] : markers) {
        std::error_code error;
        if (std::filesystem::exists(root + file, error)) facts.text("container", name, root + file);
    }
    const std::string dmi = root + "/sys/class/dmi/id/";
    const std::string vendor = read_text(dmi + "sys_vendor", 256).value_or("");
    const std::string product = read_text(dmi + "product_name", 256).value_or("");
    facts.text("machine_model", vendor + (vendor.empty() || product.empty() ? "" : " ") + product,
               dmi + "{sys_vendor,product_name}");
}

} // namespace assay::context
