-- Order status (clause 2.6). The customer is looked up by last name where the number is 0.
CREATE PROCEDURE order_status(p_w_id INT, p_d_id INT, p_c_id INT, p_last VARCHAR(16))
SQL SECURITY INVOKER
BEGIN
  DECLARE v_balance DECIMAL(12,2);
  DECLARE v_first, v_last VARCHAR(16);
  DECLARE v_middle CHAR(2);
  DECLARE v_o_id, v_carrier, v_item, v_supplier, v_quantity, v_done INT;
  DECLARE v_amount DECIMAL(6,2);
  DECLARE v_entered, v_delivered DATETIME;
  DECLARE order_lines CURSOR FOR SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line
    WHERE ol_w_id = p_w_id AND ol_d_id = p_d_id AND ol_o_id = v_o_id;
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET v_done = 1;

  IF p_c_id = 0 THEN
    CALL customer_by_name(p_w_id, p_d_id, p_last, p_c_id);
  END IF;
  SELECT c_balance, c_first, c_middle, c_last INTO v_balance, v_first, v_middle, v_last FROM customer
    WHERE c_w_id = p_w_id AND c_d_id = p_d_id AND c_id = p_c_id;
  SELECT o_id, o_carrier_id, o_entry_d INTO v_o_id, v_carrier, v_entered FROM orders
    WHERE o_w_id = p_w_id AND o_d_id = p_d_id AND o_c_id = p_c_id ORDER BY o_id DESC LIMIT 1;
  SET v_done = 0;
  OPEN order_lines;
  REPEAT
    FETCH order_lines INTO v_item, v_supplier, v_quantity, v_amount, v_delivered;
  UNTIL v_done END REPEAT;
  CLOSE order_lines;
END
