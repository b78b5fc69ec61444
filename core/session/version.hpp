// The tool's version, from the build.
#pragma once

namespace assay {

const char* tool_version(); // "0.1.0"

} // namespace assay
