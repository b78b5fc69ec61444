/* The open loop: requests start when a schedule says so, not when an earlier one has ended.
 *
 * A closed loop asks a slow target less often, and so leaves out of its latencies the very time in which others would
 * have waited (coordinated omission). In an open loop request i of a worker has an intended start
 *   constant: arrival_start_ns + i x interval
 *   Poisson:  the previous intended start (at first arrival_start_ns) + an exponentially distributed time of mean
 * interval whatever the target does. A request that cannot start when it is due (all slots are taken, the thread is
 * late) starts as soon as it can, in the order of the schedule, and its response time counts from the intended start.
 *
 * A workload that can do this declares a metric of role ASSAY_ROLE_NEXT_START; without one the host refuses a rate. It
 * also declares, for each paced operation, a histogram named ASSAY_HISTOGRAM_RESPONSE, and fills it in open loops only.
 * C++: sdk/arrival.hpp.
 */
#ifndef ASSAY_ABI_ARRIVAL_H
#define ASSAY_ABI_ARRIVAL_H

#include <stdint.h>

typedef int32_t assay_arrival_process;
enum {
    ASSAY_ARRIVAL_CLOSED = 0, /* no schedule: as fast as the requests in flight allow */
    ASSAY_ARRIVAL_CONSTANT = 1,
    ASSAY_ARRIVAL_POISSON = 2
};

/* Completion time less the intended start. */
#define ASSAY_HISTOGRAM_RESPONSE "response"

#endif
