-- New order (clause 2.4). The parameters and the calls of 15 order lines are filled in before it is created.
CREATE PROCEDURE new_order(p_w_id INT, p_d_id INT, p_c_id INT, p_ol_cnt INT, p_all_local INT,
  {parameters}, OUT p_rolled_back INT)
SQL SECURITY INVOKER
BEGIN
  DECLARE v_o_id INT;
  DECLARE v_found INT DEFAULT 1;
  DECLARE v_discount, v_w_tax, v_d_tax DECIMAL(4,4);
  DECLARE v_last VARCHAR(16);
  DECLARE v_credit CHAR(2);

  SELECT c_discount, c_last, c_credit, w_tax INTO v_discount, v_last, v_credit, v_w_tax
    FROM customer, warehouse WHERE w_id = p_w_id AND c_w_id = w_id AND c_d_id = p_d_id AND c_id = p_c_id;
  SELECT d_next_o_id, d_tax INTO v_o_id, v_d_tax FROM district WHERE d_w_id = p_w_id AND d_id = p_d_id FOR UPDATE;
  UPDATE district SET d_next_o_id = v_o_id + 1 WHERE d_w_id = p_w_id AND d_id = p_d_id;
  INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)
    VALUES (v_o_id, p_d_id, p_w_id, p_c_id, NOW(), p_ol_cnt, p_all_local);
  INSERT INTO new_orders (no_o_id, no_d_id, no_w_id) VALUES (v_o_id, p_d_id, p_w_id);
  {lines}
  SET p_rolled_back = 1 - v_found;
END
