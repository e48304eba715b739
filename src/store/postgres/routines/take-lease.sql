-- Leases a part of an owner's balance to a node. Returns no row if the owner has no balance.
CREATE OR REPLACE FUNCTION take_lease(
  p_node text,
  -- The owner of the balance, which is an account or a budget.
  p_owner text,
  -- The amount that the node requests. The node may get more if other nodes do not need it.
  p_wanted bigint,
  -- The minimum amount. A smaller lease is not granted.
  p_min bigint
) RETURNS TABLE (granted bigint, posted bigint, free bigint, leased_elsewhere bigint, debt bigint)
LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  v_account text; v_posted bigint; v_leased bigint; v_lease bigint; v_elsewhere bigint; v_free bigint; v_reserved bigint;
  v_nodes bigint; v_share bigint; v_granted bigint; v_debt bigint; v_is_known boolean;
BEGIN
  -- A transaction that removes the node waits for this one, and then also takes back this lease.
  PERFORM 1 FROM nodes WHERE id = p_node FOR KEY SHARE;
  v_is_known := FOUND;
  SELECT account, posted, leased INTO v_account, v_posted, v_leased FROM balances WHERE owner = p_owner FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  v_debt := coalesce((SELECT debt FROM debts WHERE account = p_owner ORDER BY number DESC LIMIT 1), 0);
  IF NOT v_is_known THEN
    -- A node that was considered dead joins again within one poll. Until then it gets no leases.
    RETURN QUERY SELECT 0::bigint, v_posted, 0::bigint, v_posted, v_debt;
    RETURN;
  END IF;

  v_lease := coalesce((SELECT amount FROM leases WHERE owner = p_owner AND node = p_node), 0);
  v_elsewhere := v_leased - v_lease;
  v_free := v_posted - v_leased;
  -- Amounts that will be removed from the balance are not leased again.
  v_reserved := coalesce((SELECT sum(amount) FROM recalls WHERE owner = p_owner AND amount > 0
    AND at > tollgate_now() - 500), 0);
  v_free := v_free - least(v_reserved, v_free);

  -- A single node gets the whole amount. If there are several, each gets at most half of its equal share in advance.
  v_nodes := (SELECT count(*) FROM nodes);
  v_share := CASE WHEN v_nodes = 1 THEN v_free ELSE v_free / (2 * v_nodes) END;
  v_granted := least(greatest(p_wanted, v_share), v_free);
  IF v_granted < p_min THEN v_granted := 0; END IF;
  IF v_granted > 0 THEN
    UPDATE balances SET leased = leased + v_granted WHERE owner = p_owner;
    INSERT INTO leases AS l (owner, node, account, amount) VALUES (p_owner, p_node, v_account, v_granted)
      ON CONFLICT (owner, node) DO UPDATE SET amount = l.amount + excluded.amount;
  END IF;
  -- A node that got less than it needs asks other nodes for the unused part of their leases.
  IF v_granted < p_wanted AND v_elsewhere > 0 THEN
    INSERT INTO recalls AS r (owner, node, at, amount) VALUES (p_owner, p_node, tollgate_now(), 0)
      ON CONFLICT (owner, node) DO UPDATE SET at = excluded.at, amount = excluded.amount;
  END IF;
  RETURN QUERY SELECT v_granted, v_posted, v_free - v_granted, v_elsewhere, v_debt;
END
$$;
