-- Appends lines to the chain of write-offs, which are costs that were not charged. Each line contains the hash of the
-- previous line. The hashed text is the same JSON as in `hashWriteOff` (accounting/hash-chain.ts).
CREATE OR REPLACE FUNCTION append_write_offs(p_lines json) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_number bigint; v_hash text; v_previous text; v_line record;
BEGIN
  IF p_lines IS NULL THEN RETURN; END IF;
  SELECT number, hash INTO v_number, v_hash FROM chain_ends WHERE name = 'write_offs' FOR UPDATE;
  FOR v_line IN
    SELECT * FROM json_to_recordset(p_lines) AS w (account text, key text, request text, at bigint, amount bigint, reason text)
  LOOP
    v_number := v_number + 1;
    v_previous := v_hash;
    v_hash := encode(sha256(convert_to('["' || v_previous || '",' || v_number || ',' || v_line.at || ','
      || to_json(v_line.account) || ',' || to_json(v_line.key) || ',' || to_json(v_line.request) || ',"'
      || v_line.amount || '",' || to_json(v_line.reason) || ']', 'UTF8')), 'hex');
    INSERT INTO write_offs (number, at, account, key, request, amount, reason, previous_hash, hash)
    VALUES (v_number, v_line.at, v_line.account, v_line.key, v_line.request, v_line.amount, v_line.reason, v_previous, v_hash);
  END LOOP;
  UPDATE chain_ends SET number = v_number, hash = v_hash WHERE name = 'write_offs';
END
$$;
