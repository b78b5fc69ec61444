// The SMART log page of an NVMe controller (log 0x02 of the NVM Express base specification) as series values.
#pragma once

#include "assay/sdk/series.hpp"
#include "plugins/host/sources.hpp"

namespace assay::host {

// Lists the page's series, all in one group.
void list_smart(sdk::SeriesList& list, std::uint32_t group, const char* labels);
inline constexpr std::size_t smart_series = 21;

// Sets the values of one page from series `first` on. Zero means "not reported" for data units and temperatures: those
// are not set then.
void set_smart(const SmartPage& page, std::size_t first, const sdk::Reading& reading);

} // namespace assay::host
