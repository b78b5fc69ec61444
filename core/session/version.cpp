#include "core/session/version.hpp"

namespace assay {

const char* tool_version() { return ASSAY_VERSION; }

} // namespace assay
