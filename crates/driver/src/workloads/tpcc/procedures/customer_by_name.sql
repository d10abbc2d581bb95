-- Lookup of a customer by last name: the middle one in the order of first names, rounded up (clause 2.5.2.2).
CREATE PROCEDURE customer_by_name(p_w_id INT, p_d_id INT, p_last VARCHAR(16), OUT p_c_id INT)
SQL SECURITY INVOKER
BEGIN
  DECLARE v_before INT;

  SELECT (COUNT(*) - 1) DIV 2 INTO v_before FROM customer WHERE c_w_id = p_w_id AND c_d_id = p_d_id AND c_last = p_last;
  SELECT c_id INTO p_c_id FROM customer WHERE c_w_id = p_w_id AND c_d_id = p_d_id AND c_last = p_last
    ORDER BY c_first LIMIT v_before, 1;
END
