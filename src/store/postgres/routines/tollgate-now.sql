-- Returns the time of the database's clock in Unix milliseconds. It is used because the clocks of nodes may differ.
CREATE OR REPLACE FUNCTION tollgate_now() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;
