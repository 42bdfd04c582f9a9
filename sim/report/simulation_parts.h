/* simulation_parts.h - measurements as a part of another document. Only sim/report includes this file. */
#ifndef LOCKSIM_REPORT_SIMULATION_PARTS_H
#define LOCKSIM_REPORT_SIMULATION_PARTS_H

#include "report/json_text.h"
#include "report/simulation.h"

/* How wide the labels of a simulation's and a log's results are. */
enum { SIMULATION_LABEL_COLUMNS = 14 };

/* { data, metrics, locks, clients }: of what was measured. The caller owns it. */
json_t *simulation_numbers_json(const simulated *s);

#endif
