"""Research on a Ray cluster (extra `ray`): the same pipelines with other workers. docs/past-one-machine.md.

One actor has the throttle of all hosts, and each machine one actor that fetches pages; pages are extracted by
tasks, wherever a core is free; the embedding model is loaded once on each machine. `index_crawl` writes the
results of a crawl, of any size, to an index as a streaming dataset.
https://docs.ray.io/en/latest/ray-core/actors.html"""

from oryn.research.workers.ray.crawl_indexer import index_crawl
from oryn.research.workers.ray.workers import RayWorkers

__all__ = ["RayWorkers", "index_crawl"]
