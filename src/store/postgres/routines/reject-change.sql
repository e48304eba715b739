-- Trigger function of tables whose records are never changed or deleted.
CREATE OR REPLACE FUNCTION reject_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a record of % is never changed or deleted', TG_TABLE_NAME;
END
$$;

-- Trigger function of the audit log, whose records are never changed or deleted either. The only exception is an
-- erasure, which may remove personal data (actor_name, before_body, after_body and address) from a record that a row of
-- `redactions` covers.
CREATE OR REPLACE FUNCTION reject_change_of_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF (NEW.number, NEW.at, NEW.actor_kind, NEW.actor_id, NEW.action, NEW.account, NEW.target, NEW.previous_hash, NEW.hash)
        IS NOT DISTINCT FROM
        (OLD.number, OLD.at, OLD.actor_kind, OLD.actor_id, OLD.action, OLD.account, OLD.target, OLD.previous_hash, OLD.hash)
      AND EXISTS (SELECT FROM redactions WHERE redactions.account IS NULL AND redactions.number = OLD.number)
    THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'a record of % is never changed or deleted', TG_TABLE_NAME;
END
$$;
