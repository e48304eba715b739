/** Keys of people, which encrypt what names them, and the records from which a name was removed. */
export const PEOPLE = `
CREATE TABLE people (
  -- A user's id, or one that stands for an e-mail address.
  person text COLLATE "C" PRIMARY KEY,
  address_hash text COLLATE "C" UNIQUE,
  -- Null: they are erased.
  key text,
  erased_at bigint
);

CREATE TABLE redactions (
  -- The audit record that vouches for it.
  record bigint NOT NULL,
  -- Of an entry of this account; null: of an audit record.
  account text COLLATE "C",
  number bigint NOT NULL,
  hash text COLLATE "C" NOT NULL
);
CREATE INDEX redactions_by_number ON redactions (number);

-- Only what names people can be removed from a record, and only where a redaction says so.
CREATE FUNCTION refuse_change_of_audit() RETURNS trigger LANGUAGE plpgsql AS $$
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
DROP TRIGGER audit_is_never_changed ON audit;
CREATE TRIGGER audit_is_never_changed BEFORE UPDATE OR DELETE ON audit
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_audit();
`
