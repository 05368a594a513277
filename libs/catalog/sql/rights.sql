-- The models on sale. Only the operator writes these tables.
GRANT SELECT ON catalog_state, model, model_route, price_version, upstream TO farebox_app, farebox_account;
-- The worker recomputes the cost of requests to check the books.
GRANT SELECT ON price_version TO farebox_worker;
-- The operator's own cost of a route is not for customers; the gateway records it with each request.
GRANT SELECT ON route_cost TO farebox_app;
-- It says whether a version is scheduled, and applies it.
GRANT SELECT ON catalog_schedule TO farebox_worker;
GRANT EXECUTE ON FUNCTION catalog_apply_due TO farebox_worker;
