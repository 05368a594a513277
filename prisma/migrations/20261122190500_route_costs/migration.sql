-- What a route costs whoever runs the service; a table of its own, for the account service may read the others.
CREATE TABLE route_cost (
    model_id text NOT NULL,
    position smallint NOT NULL,
    price jsonb NOT NULL,
    CONSTRAINT route_cost_pkey PRIMARY KEY (model_id, position),
    CONSTRAINT route_cost_model_id_position_fkey
      FOREIGN KEY (model_id, position) REFERENCES model_route(model_id, position) ON UPDATE CASCADE ON DELETE CASCADE
);

-- Which route answered a request, and what that cost; null if the route does not say. It has the id of the hold.
CREATE TABLE usage_route (
    id uuid NOT NULL,
    upstream_id text NOT NULL,
    upstream_model text NOT NULL,
    cost_nano bigint,
    CONSTRAINT usage_route_pkey PRIMARY KEY (id),
    CONSTRAINT usage_route_cost_not_negative CHECK (cost_nano >= 0)
);
