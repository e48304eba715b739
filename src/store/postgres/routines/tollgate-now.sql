-- Returns the database's clock in Unix milliseconds. No node's clock decides about another node.
CREATE OR REPLACE FUNCTION tollgate_now() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;
