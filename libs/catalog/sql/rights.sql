-- What there is to sell. The operator writes it.
GRANT SELECT ON catalog_state, model, model_route, price_version, upstream TO farebox_app, farebox_account;
-- The worker derives what requests cost, to check the books.
GRANT SELECT ON price_version TO farebox_worker;
-- What a route costs whoever runs the service is no business of a customer's: the gateway notes it of each request.
GRANT SELECT ON route_cost TO farebox_app;
