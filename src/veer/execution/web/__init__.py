"""`veer ui`: a local web application on a store.

`server` has the routes, `guard` who may ask, `store_data` what pages show of a store, `preview` rows of
results, `comparisons` versions compared in the background. The pages are `ui/`, built into `page`.
"""
