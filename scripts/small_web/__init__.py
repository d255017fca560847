"""A small web that never changes: some 360 pages about islands that do not exist, on nine sites, and a search page.

`world` says what there is on the islands; `places`, `living` and `talking` who wrote what about it and in which words;
`pages` how each site looks; `serving` serves them on loopback. `questions` has what may be asked, with the answers.
"""
