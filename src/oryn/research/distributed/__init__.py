"""Research on a Ray cluster (extra `ray`): the same pipelines over other workers. docs/past-one-machine.md.

A host's throttle lives in one actor, and pages are fetched by one actor on each machine; pages are read by tasks,
wherever a core is free; the embedding model is loaded once on each machine. `index_crawl` takes what a crawl has
written, of any size, to an index as a dataset that streams. https://docs.ray.io/en/latest/ray-core/actors.html
"""

from oryn.research.distributed.indexing import index_crawl
from oryn.research.distributed.workers import RayWorkers

__all__ = ["RayWorkers", "index_crawl"]
