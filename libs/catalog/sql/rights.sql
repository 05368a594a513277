-- What there is to sell. The operator writes it.
GRANT SELECT ON catalog_state, model, model_route, price_version, upstream TO farebox_app, farebox_account;
