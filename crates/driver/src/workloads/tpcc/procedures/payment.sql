-- Payment (clause 2.5). The customer is looked up by last name where the number is 0.
CREATE PROCEDURE payment(p_w_id INT, p_d_id INT, p_c_w_id INT, p_c_d_id INT, p_c_id INT, p_last VARCHAR(16),
  p_amount DECIMAL(6,2))
SQL SECURITY INVOKER
BEGIN
  DECLARE v_street_1, v_street_2, v_city, v_last VARCHAR(20);
  DECLARE v_state, v_middle, v_credit CHAR(2);
  DECLARE v_zip CHAR(9);
  DECLARE v_w_name, v_d_name VARCHAR(10);
  DECLARE v_first VARCHAR(16);
  DECLARE v_phone CHAR(16);
  DECLARE v_limit, v_balance DECIMAL(12,2);
  DECLARE v_discount DECIMAL(4,4);
  DECLARE v_since DATETIME;
  DECLARE v_data VARCHAR(500);

  UPDATE warehouse SET w_ytd = w_ytd + p_amount WHERE w_id = p_w_id;
  SELECT w_street_1, w_street_2, w_city, w_state, w_zip, w_name
    INTO v_street_1, v_street_2, v_city, v_state, v_zip, v_w_name FROM warehouse WHERE w_id = p_w_id;
  UPDATE district SET d_ytd = d_ytd + p_amount WHERE d_w_id = p_w_id AND d_id = p_d_id;
  SELECT d_street_1, d_street_2, d_city, d_state, d_zip, d_name
    INTO v_street_1, v_street_2, v_city, v_state, v_zip, v_d_name FROM district WHERE d_w_id = p_w_id AND d_id = p_d_id;
  IF p_c_id = 0 THEN
    CALL customer_by_name(p_c_w_id, p_c_d_id, p_last, p_c_id);
  END IF;
  SELECT c_credit, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_credit_lim,
      c_discount, c_balance, c_since
    INTO v_credit, v_first, v_middle, v_last, v_street_1, v_street_2, v_city, v_state, v_zip, v_phone, v_limit,
      v_discount, v_balance, v_since
    FROM customer WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id FOR UPDATE;
  -- Customers with bad credit have their payments in c_data, the newest first.
  IF v_credit = 'BC' THEN
    SELECT c_data INTO v_data FROM customer WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id;
    SET v_data = LEFT(CONCAT_WS(' ', p_c_id, p_c_d_id, p_c_w_id, p_d_id, p_w_id, p_amount, v_data), 500);
    UPDATE customer SET c_balance = c_balance - p_amount, c_ytd_payment = c_ytd_payment + p_amount,
      c_payment_cnt = c_payment_cnt + 1, c_data = v_data
      WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id;
  ELSE
    UPDATE customer SET c_balance = c_balance - p_amount, c_ytd_payment = c_ytd_payment + p_amount,
      c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id;
  END IF;
  INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    VALUES (p_c_d_id, p_c_w_id, p_c_id, p_d_id, p_w_id, NOW(), p_amount, CONCAT(v_w_name, '    ', v_d_name));
END
