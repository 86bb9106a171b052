/**
 * Shapes that are known to do harm, and whose mending has not landed: they run, and are reported apart. By
 * `role/shape`.
 */
export const unmended: Readonly<Record<string, string>> = {
  'server/batch of calls with large answers': 'forty handlers make 15 MB each in one turn, though all but one answer is refused: probes wait for seconds',
  'server/bodies that never end': 'sixty pipes in one process, each with an unfinished line of megabytes: probes were late (1.8 s) on a busy machine',
  'server/requests without reading': 'three hundred connections that read nothing while a tool reports 100,000 times: late probes and more than 512 MiB resident were seen',
  'client/pings': 'a server that only pings over HTTP keeps its client busy with answers: probes were late (1.2 to 2.1 s) on a busy machine',
};
