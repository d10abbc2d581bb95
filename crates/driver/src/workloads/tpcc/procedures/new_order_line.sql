-- One line of a new order. The statements of the ten districts are filled in, as each reads a column of its own.
CREATE PROCEDURE new_order_line(p_w_id INT, p_d_id INT, p_o_id INT, p_number INT, p_i_id INT, p_supply_w_id INT,
  p_quantity INT, OUT p_found INT)
SQL SECURITY INVOKER
BEGIN
  DECLARE v_price DECIMAL(5,2);
  DECLARE v_name VARCHAR(24);
  DECLARE v_data VARCHAR(50);
  DECLARE v_left INT;
  DECLARE v_district CHAR(24);

  SELECT i_price, i_name, i_data INTO v_price, v_name, v_data FROM item WHERE i_id = p_i_id;
  SET p_found = v_price IS NOT NULL;
  IF p_found THEN
    CASE p_d_id
      {stock}
    END CASE;
    -- Low stock is refilled.
    SET v_left = v_left - p_quantity;
    IF v_left < 10 THEN
      SET v_left = v_left + 91;
    END IF;
    UPDATE stock SET s_quantity = v_left, s_ytd = s_ytd + p_quantity, s_order_cnt = s_order_cnt + 1,
      s_remote_cnt = s_remote_cnt + (p_supply_w_id <> p_w_id) WHERE s_i_id = p_i_id AND s_w_id = p_supply_w_id;
    INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount,
      ol_dist_info) VALUES (p_o_id, p_d_id, p_w_id, p_number, p_i_id, p_supply_w_id, p_quantity, v_price * p_quantity,
      v_district);
  END IF;
END
