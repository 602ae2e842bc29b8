// A plugin for QEMU that does nothing, where the soft PMU counts: what is left of a ratio is QEMU's
// own. bench/softpmu loads it.
//   at=translations|blocks|accesses   is told of the translation of code, is called at each block,
//                                     and at each access
//   at=sums                           QEMU adds a number at each block, and calls nobody
#include <string_view>

#include "softpmu/qemu_plugin_api.h"

int qemu_plugin_version = 1;

namespace {

bool adds = false;
bool is_called = false;
bool is_called_at_accesses = false;

void on_block(unsigned /*index*/, void* /*data*/) {}
void on_access(unsigned /*index*/, qemu_plugin_meminfo_t /*info*/, std::uint64_t /*address*/,
               void* /*data*/) {}

void on_translate(qemu_plugin_id_t /*id*/, qemu_plugin_tb* block) {
    static std::uint64_t sum = 0;
    if (adds) qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &sum, 1);
    if (!is_called) return;
    qemu_plugin_register_vcpu_tb_exec_cb(block, on_block, QEMU_PLUGIN_CB_NO_REGS, block);
    for (std::size_t i = 0; is_called_at_accesses && i < qemu_plugin_tb_n_insns(block); ++i) {
        qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(block, i), on_access,
                                         QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, nullptr);
    }
}

}  // namespace

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* /*info*/, int count, char** words) {
    const std::string_view at = count == 1 ? words[0] : "";
    adds = at == "at=sums";
    is_called_at_accesses = at == "at=accesses";
    is_called = is_called_at_accesses || at == "at=blocks";
    if (!adds && !is_called && at != "at=translations") return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    return 0;
}
