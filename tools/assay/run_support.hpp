// What every verb that runs a plan does alike: stop on signals, sample the machine, honour ASSAY_DESTROY, end with an
// exit code. Control thread.
#pragma once

#include "core/plan/plan.hpp"
#include "core/run/run.hpp"
#include "core/session/session.hpp"

#include <string>
#include <vector>

namespace assay::cli {

// The one flag that SIGINT, SIGTERM and SIGHUP request; the second signal ends the process. Installs the handlers.
StopFlag& stop_on_signals();

// What watches the machine where nothing else is asked for.
std::vector<SamplerPlan> default_samplers();

// Devices that ASSAY_DESTROY names.
std::vector<std::string> devices_to_destroy();

// As the list in command.hpp says.
int exit_code(const SessionOutcome& outcome, bool strict, const StopFlag& stop);

} // namespace assay::cli
