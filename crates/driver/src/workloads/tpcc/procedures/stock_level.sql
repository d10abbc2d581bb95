-- Stock level (clause 2.8): the items of a district's last 20 orders that are nearly out of stock.
CREATE PROCEDURE stock_level(p_w_id INT, p_d_id INT, p_threshold INT, OUT p_low_stock INT)
SQL SECURITY INVOKER
BEGIN
  DECLARE v_next INT;

  SELECT d_next_o_id INTO v_next FROM district WHERE d_w_id = p_w_id AND d_id = p_d_id;
  SELECT COUNT(DISTINCT s_i_id) INTO p_low_stock FROM order_line, stock
    WHERE ol_w_id = p_w_id AND ol_d_id = p_d_id AND ol_o_id < v_next AND ol_o_id >= v_next - 20
    AND s_w_id = ol_w_id AND s_i_id = ol_i_id AND s_quantity < p_threshold;
END
